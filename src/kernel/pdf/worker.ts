/** Program of the renderer's child processes: renders one document at a time. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NodeCompiler, type NodeTypstDocument } from '@myriaddreamin/typst-ts-node-compiler'
import { serveParent } from '../isolate/child-side.ts'
import { FACTUR_X, sayingFacturX } from './factur-x.ts'
import { withBlocks } from './formatted-text.ts'
import { printable } from './printable.ts'
import { type DrawnPages, pagesOf } from './svg-pages.ts'

/** Request to the child process. */
export interface RenderJob {
  /** Typst source. */
  template: string
  /** JSON. */
  data: string
  files: Record<string, Uint8Array>
  /** Renders pictures of the pages instead of a PDF. */
  asPages?: true
}
export type Drawn = { pdf: Uint8Array } | { pages: DrawnPages } | { error: string }

/** Virtual directory: templates see only their document's files, nothing of the real file system. */
const WORKSPACE = join(import.meta.dirname, 'no-files')
/**
 * A file rather than an input: inputs are part of the language's library, and another library would invalidate the compiler's
 * cache.
 */
const DATA = join(WORKSPACE, 'data.json')
const NOTO = ['', '-arabic', '-hebrew', '-thai', '-bengali', '-tamil', '-sc', '-kr'].map((script) => `noto-sans${script}`)
/**
 * Vazirmatn has one glyph per Arabic letter. Noto's base and dots are two glyphs that both map to the letter, which doubled
 * letters in copied text.
 */
const FAMILIES = [...NOTO, 'vazirmatn', 'noto-emoji']
const WEIGHTS = ['400Regular', '600SemiBold', '700Bold']

const compiler = NodeCompiler.create({ workspace: WORKSPACE, fontArgs: [{ fontPaths: fontFolders() }] })

/** Returns the folders of the weights that templates use. Each further folder would be opened at start. */
function fontFolders(): string[] {
  return FAMILIES.flatMap((family) => {
    const folder = dirname(fileURLToPath(import.meta.resolve(`@expo-google-fonts/${family}/package.json`)))
    return weightsOf(family).map((weight) => join(folder, weight))
  })
}

/**
 * Returns the installed weights of a family. Only Latin has italics. A Chinese or Korean weight has 10 or 6 MB, so bold replaces
 * semibold there. Other weights are removed after installation.
 */
function weightsOf(family: string): string[] {
  if (family === 'noto-sans') return [...WEIGHTS, '400Regular_Italic']
  return /-(sc|kr)$/.test(family) ? WEIGHTS.filter((weight) => weight !== '600SemiBold') : WEIGHTS
}

/**
 * Renders a job. All documents share fixed paths for their files. The compiler never forgets a path and aborts the process at
 * about 65,000 of them, which paths made per document would reach.
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

/** Exports PDF/A. It requires a glyph for every character; a document with an unknown character becomes a plain PDF instead. */
function exportPdf(document: NodeTypstDocument, isFacturX: boolean): Buffer {
  try {
    if (isFacturX) return sayingFacturX(compiler.pdf(document, { pdfStandard: 'a-3b' }))
    return compiler.pdf(document, { pdfStandard: 'a-2b' })
  } catch {
    return compiler.pdf(document)
  }
}

/** Returns an error's text. The compiler's errors sometimes have it only in `code`. */
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
  // keeps results shared with earlier documents; keeping more would let memory grow with each document
  () => compiler.evictCache(1),
)
