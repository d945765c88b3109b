/** Extracts the text of an untrusted PDF. Runs in a child process (`documents.ts`), where a thread reads the pages. */
import { Worker } from 'node:worker_threads'
import type { FromReader } from './pdf-pages.ts'

/**
 * Maximum CPU time. Pages may share a stream of any number of operators, and a page is processed without a pause. A thread can be
 * terminated meanwhile, without losing what it has already posted.
 */
const MAX_CPU_SECONDS = 5
const WATCH_MS = 50

export interface PdfText {
  /** Number of pages in the whole file. */
  pages: number
  /** Text of each page read; the last one may be incomplete. */
  texts: string[]
  /** Whether reading ended early, because it would have taken too long. */
  isTooMuch: boolean
}

/** Returns the text of a PDF page by page, line by line. Throws for an invalid file and one that needs a password. */
export async function textOfPdf(bytes: Uint8Array): Promise<PdfText> {
  const read: PdfText = { pages: 0, texts: [], isTooMuch: false }
  const end = Promise.withResolvers<void>()
  const cpu = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  const until = cpu() + MAX_CPU_SECONDS
  const reader = new Worker(new URL('./pdf-pages.ts', import.meta.url), { workerData: bytes })
  reader.on('message', (message: FromReader) => {
    if ('error' in message) end.reject(new Error(message.error))
    else if ('done' in message) end.resolve()
    else if ('pages' in message) read.pages = message.pages
    else read.texts[message.page] = (read.texts[message.page] ?? '') + message.text
  })
  reader.once('error', end.reject)
  reader.once('exit', () => end.reject(new Error('The PDF ended its reader.')))
  const watch = setInterval(() => {
    if (cpu() < until) return
    read.isTooMuch = true
    if (read.pages) end.resolve()
    else end.reject(new Error('The PDF takes too long to open.'))
  }, WATCH_MS)
  try {
    await end.promise
    return read
  } finally {
    clearInterval(watch)
    await reader.terminate()
  }
}
