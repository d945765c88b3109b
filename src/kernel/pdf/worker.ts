/** Draws one document after another, in a process of its own: the printer's children. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NodeCompiler, type NodeTypstDocument } from '@myriaddreamin/typst-ts-node-compiler'
import { serveParent } from '../isolate/child-side.ts'
import { FACTUR_X, sayingFacturX } from './factur-x.ts'
import { withBlocks } from './formatted-text.ts'
import { printable } from './printable.ts'
import { type DrawnPages, pagesOf } from './svg-pages.ts'

export interface RenderJob {
  /** Typst's source. */
  template: string
  /** JSON. */
  data: string
  files: Record<string, Uint8Array>
  /** Pictures of its pages in place of a PDF. */
  asPages?: true
}
export type Drawn = { pdf: Uint8Array } | { pages: DrawnPages } | { error: string }

/** A made-up directory: templates see the files of their document in it and nothing of the real file system. */
const WORKSPACE = join(import.meta.dirname, 'no-files')
/** A file and no input: inputs are part of the language's library, and with another library nothing is known of before. */
const DATA = join(WORKSPACE, 'data.json')
const NOTO = ['', '-arabic', '-hebrew', '-thai', '-bengali', '-tamil', '-sc', '-kr'].map((script) => `noto-sans${script}`)
/** Vazirmatn draws an Arabic letter as one glyph; Noto's base and dots are two that both say the letter, so that copied texts had it twice. */
const FAMILIES = [...NOTO, 'vazirmatn', 'noto-emoji']
const WEIGHTS = ['400Regular', '600SemiBold', '700Bold']

const compiler = NodeCompiler.create({ workspace: WORKSPACE, fontArgs: [{ fontPaths: fontFolders() }] })

/** Of the weights that the templates use; every further folder would be opened at start for nothing. */
function fontFolders(): string[] {
  return FAMILIES.flatMap((family) => {
    const folder = dirname(fileURLToPath(import.meta.resolve(`@expo-google-fonts/${family}/package.json`)))
    return weightsOf(family).map((weight) => join(folder, weight))
  })
}

/** Only Latin has italics. Of Chinese and Korean a weight has 10 and 6 MB: bold stands for semibold. Others are removed after the installation. */
function weightsOf(family: string): string[] {
  if (family === 'noto-sans') return [...WEIGHTS, '400Regular_Italic']
  return /-(sc|kr)$/.test(family) ? WEIGHTS.filter((weight) => weight !== '600SemiBold') : WEIGHTS
}

/**
 * Documents share fixed paths for their files. They must: the compiler never forgets a path it has seen and aborts the whole
 * process at some 65,000 of them, which paths made up per document would reach.
 */
function draw({ template, data, files, asPages }: RenderJob): Drawn {
  const paths = [...Object.keys(files).map((name) => join(WORKSPACE, name)), DATA]
  try {
    for (const [name, bytes] of Object.entries(files)) compiler.mapShadow(join(WORKSPACE, name), Buffer.from(bytes))
    const text = JSON.stringify(JSON.parse(data), (_, value) =>
      typeof value === 'string' ? printable(value) : withBlocks(value),
    )
    compiler.mapShadow(DATA, Buffer.from(text))
    const inputs = { files: JSON.stringify(Object.keys(files)) }
    const compiled = compiler.compile({ mainFileContent: template, inputs })
    const document = compiled.result
    if (document && asPages) return { pages: pagesOf(compiler.plainSvg(document)) }
    if (document) return { pdf: exportPdf(document, FACTUR_X in files) }
    const diagnostics = compiled.takeDiagnostics()
    const messages = diagnostics ? compiler.fetchDiagnostics(diagnostics).map((d: { message: string }) => d.message) : []
    throw new Error(messages.join('; ') || 'the template does not compile')
  } finally {
    for (const path of paths) compiler.unmapShadow(path)
  }
}

/** PDF/A asks for a glyph for every character; a document with an unknown one is better as a plain PDF than not at all. */
function exportPdf(document: NodeTypstDocument, isFacturX: boolean): Buffer {
  try {
    if (isFacturX) return sayingFacturX(compiler.pdf(document, { pdfStandard: 'a-3b' }))
    return compiler.pdf(document, { pdfStandard: 'a-2b' })
  } catch {
    return compiler.pdf(document)
  }
}

/** The compiler throws errors whose text is sometimes only in `code`. */
function describe(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string }
  return message || code || String(error)
}

serveParent(
  (sheet: RenderJob): Drawn => {
    try {
      return draw(sheet)
    } catch (error) {
      return { error: describe(error) }
    }
  },
  () => compiler.evictCache(1), // what the last document shared with those before is kept; more would let memory grow with the documents
)
