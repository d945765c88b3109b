/** Thread of `pdf-text.ts`: extracts a PDF's pages and posts their texts as they are read. */
import { parentPort, workerData } from 'node:worker_threads'
import { getDocumentProxy } from 'unpdf'

export type FromReader = { pages: number } | { page: number; text: string } | { done: true } | { error: string }

/** Maximum number of pages and characters; the rest is omitted. */
const MAX_PAGES = 300
const MAX_CHARACTERS = 2_000_000
/** Number of characters posted at once. */
const PORTION = 16_384

const post = (message: FromReader) => parentPort!.postMessage(message)

async function readPages(bytes: Uint8Array) {
  const pdf = await getDocumentProxy(new Uint8Array(bytes))
  post({ pages: pdf.numPages })
  let left = MAX_CHARACTERS
  for (let n = 0; n < Math.min(pdf.numPages, MAX_PAGES) && left > 0; n++) {
    const page = await pdf.getPage(n + 1)
    const chunks = page.streamTextContent().getReader()
    let text = ''
    const flush = () => {
      post({ page: n, text: text.slice(0, left) })
      left -= text.length
      text = ''
    }
    for (let chunk = await chunks.read(); !chunk.done && left > 0; chunk = await chunks.read()) {
      for (const item of chunk.value.items) if ('str' in item) text += item.str + (item.hasEOL ? '\n' : '')
      if (text.length > PORTION) flush()
    }
    if (left > 0) flush()
    else await chunks.cancel()
    page.cleanup()
  }
}

readPages(workerData).then(
  () => post({ done: true }),
  (error) => post({ error: error instanceof Error ? error.message : String(error) }),
)
