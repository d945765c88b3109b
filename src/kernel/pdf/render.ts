import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import QuickLRU from 'quick-lru'
import type { PdfJob, PdfResult } from './worker.ts'

type Running = {
  worker: Worker
  pending: Map<number, { resolve: (pdf: Buffer) => void; reject: (error: Error) => void }>
}

let running: Running | undefined
let lastId = 0

/**
 * Renders a Typst template with data given as JSON, never pasted into markup: the template reads it with
 * `json(bytes(sys.inputs.data))` and the `files` by their name. Runs on one worker thread, started on first use, so
 * that a long document never blocks the event loop. Text that cannot be printed is dropped from the data (see `printable`).
 */
export function renderPdf(template: URL, data: unknown, files: Record<string, Uint8Array> = {}): Promise<Buffer> {
  const text = JSON.stringify(data, printable)
  const key = fingerprint(template, text, files)
  const before = drawn.get(key)
  if (before) return before
  const pdf = draw({ id: ++lastId, template: template.href, data: text, files })
  drawn.set(key, pdf)
  pdf.catch(() => drawn.delete(key))
  return pdf
}

/** What was drawn lately, by everything that it was drawn from: it can't be stale, only forgotten. */
const drawn = new QuickLRU<string, Promise<Buffer>>({ maxSize: 64, maxAge: 300_000 })

function fingerprint(template: URL, data: string, files: Record<string, Uint8Array>) {
  const hash = createHash('sha256').update(template.href).update('\0').update(data)
  for (const [name, bytes] of Object.entries(files)) hash.update('\0').update(name).update('\0').update(bytes)
  return hash.digest('base64')
}

function draw(job: PdfJob): Promise<Buffer> {
  running ??= start()
  const { worker, pending } = running
  return new Promise((resolve, reject) => {
    worker.postMessage(job)
    pending.set(job.id, { resolve, reject })
    worker.ref()
  })
}

/** Ends the worker after the renders already asked for (graceful stop). */
export async function closePdf(): Promise<void> {
  const worker = running?.worker
  if (!worker) return
  running = undefined
  const ended = new Promise((resolve) => worker.once('exit', resolve))
  worker.ref()
  worker.postMessage('close')
  await ended
}

/** The worker keeps the process alive only while it has something to render. */
function start(): Running {
  const worker = new Worker(new URL('./worker.ts', import.meta.url))
  const started: Running = { worker, pending: new Map() }
  worker.unref()
  worker.on('message', (result: PdfResult) => {
    const job = started.pending.get(result.id)
    started.pending.delete(result.id)
    if (started.pending.size === 0 && running === started) worker.unref()
    if ('pdf' in result) job?.resolve(Buffer.from(result.pdf.buffer))
    else job?.reject(new Error(`PDF rendering failed: ${result.error}`))
  })
  const fail = (error: unknown) => {
    if (running === started) running = undefined
    for (const job of started.pending.values()) job.reject(new Error('The PDF worker ended unexpectedly', { cause: error }))
    started.pending.clear()
  }
  worker.on('error', fail)
  worker.on('exit', fail)
  return started
}

/** JSON replacer. Control characters have no glyph in any font, and lone surrogates are not text at all. */
function printable(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff\ufffe\uffff]/g, '')
}
