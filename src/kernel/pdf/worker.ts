import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { NodeCompiler, type NodeTypstDocument } from '@myriaddreamin/typst-ts-node-compiler'

export type PdfJob = { id: number; template: string; data: string; files: Record<string, Uint8Array> }
export type PdfResult = { id: number; pdf: Uint8Array } | { id: number; error: string }

/** A made-up directory: templates see the files of their job in it and nothing of the real file system. */
const WORKSPACE = join(import.meta.dirname, 'no-files')

const compiler = NodeCompiler.create({ workspace: WORKSPACE, fontArgs: [{ fontPaths: fontFolders() }] })
const templates = new Map<string, string>()

/** The weights the templates use; every further folder would be opened at start for nothing. */
function fontFolders(): string[] {
  return ['noto-sans', 'noto-sans-arabic', 'noto-sans-sc'].flatMap((family) => {
    const folder = dirname(fileURLToPath(import.meta.resolve(`@expo-google-fonts/${family}/package.json`)))
    return ['400Regular', '600SemiBold', '700Bold'].map((weight) => join(folder, weight))
  })
}

function templateText(url: string): string {
  const text = templates.get(url) ?? readFileSync(new URL(url), 'utf8')
  templates.set(url, text)
  return text
}

/**
 * Jobs run one after another, so their files can share fixed paths. They must: the compiler never forgets a path it
 * has seen and aborts the whole process at some 65,000 of them, which paths made up per job would reach.
 */
function render(job: PdfJob): Uint8Array {
  const paths = Object.keys(job.files).map((name) => join(WORKSPACE, name))
  try {
    for (const [name, bytes] of Object.entries(job.files)) compiler.mapShadow(join(WORKSPACE, name), Buffer.from(bytes))
    const compiled = compiler.compile({ mainFileContent: templateText(job.template), inputs: { data: job.data } })
    const document = compiled.result
    if (!document) {
      const diagnostics = compiled.takeDiagnostics()
      const messages = diagnostics ? compiler.fetchDiagnostics(diagnostics).map((d: { message: string }) => d.message) : []
      throw new Error(messages.join('; ') || 'the template does not compile')
    }
    // A copy, because the compiler's own buffer cannot be transferred to another thread.
    return new Uint8Array(exportPdf(document))
  } finally {
    for (const path of paths) compiler.unmapShadow(path)
    // Kept results would save a millisecond per render and let memory grow with the documents.
    compiler.evictCache(0)
  }
}

/** PDF/A asks for a glyph for every character; a document with an emoji in it is better as a plain PDF than not at all. */
function exportPdf(document: NodeTypstDocument): Buffer {
  try {
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

parentPort?.on('message', (job: PdfJob | 'close') => {
  if (job === 'close') return parentPort?.close()
  try {
    const pdf = render(job)
    parentPort?.postMessage({ id: job.id, pdf } satisfies PdfResult, [pdf.buffer as ArrayBuffer])
  } catch (error) {
    parentPort?.postMessage({ id: job.id, error: describe(error) } satisfies PdfResult)
  }
})
