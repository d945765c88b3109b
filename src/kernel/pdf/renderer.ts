/**
 * Renders PDFs and page pictures with Typst in child processes. Has a bounded queue that is fair between workspaces, and a cache
 * of recent results.
 */
import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { Counter, Gauge, Histogram, type Metric } from 'prom-client'
import QuickLRU from 'quick-lru'
import { HttpError, unavailable } from '../errors.ts'
import type { Death } from '../isolate/child.ts'
import { permissionFlags } from '../isolate/permissions.ts'
import { childPool } from '../isolate/pool.ts'
import type { DrawnPages } from './svg-pages.ts'
import { templateText } from './templates.ts'
import type { Drawn, RenderJob } from './worker.ts'

declare module '../context.ts' {
  interface Services {
    pdf: PdfRenderer
  }
}

export interface RenderRequest {
  /** Workspace that is charged for it. */
  for: number
  /** Template name, see templates.ts. */
  template: string
  /** Data for the template, passed as JSON and never inserted into markup: `json("data.json")`. */
  data: unknown
  /** Further files for the template, by name. The names are in the JSON list `sys.inputs.files`. */
  files?: Record<string, Uint8Array>
}

/** Renders documents in child processes. */
export interface PdfRenderer {
  /**
   * Returns the PDF. Throws 422 for a text that can't be typeset, and 503 with Retry-After if too many requests wait or it took
   * too long.
   */
  render(printout: RenderRequest): Promise<Buffer>
  /** Returns pictures of the pages. They aren't cached, because previews change with each request. Errors as for `render`. */
  renderPages(printout: RenderRequest): Promise<DrawnPages>
  metrics: Metric[]
  /** Finishes accepted requests, then ends the child processes. */
  stop(): Promise<void>
}

export interface PrinterLimits {
  PDF_PROCESSES: number
  PDF_TIMEOUT_SECONDS: number
  PDF_MEMORY_MB: number
  PDF_QUEUE: number
  PDF_QUEUE_PER_WORKSPACE: number
}

const MAX_DATA = 4 * 2 ** 20
const KEPT_BYTES = 32 * 2 ** 20
const KEPT_MS = 300_000
/** Time for which slow documents are remembered. */
const LATE_SECONDS = 3600
const MAX_LATE = 1000

/** Returns the renderer, with metrics. Child processes are started on demand. */
export function pdfRenderer(limits: PrinterLimits, log: Logger): PdfRenderer {
  const pool = childPool<RenderJob, Drawn>({
    program: new URL('./worker.ts', import.meta.url),
    execArgv: permissionFlags({ addons: true }),
    processes: limits.PDF_PROCESSES,
    queue: limits.PDF_QUEUE,
    queuePerWorkspace: limits.PDF_QUEUE_PER_WORKSPACE,
    megabytesBetween: limits.PDF_MEMORY_MB / 2,
    startTimer: () => durations.startTimer(),
  })
  const underWay = new Map<string, Promise<Buffer>>()
  const kept = keep()
  const late = new QuickLRU<string, true>({ maxSize: MAX_LATE, maxAge: LATE_SECONDS * 1000 })
  const { results, durations, ...gauges } = metersOf({ waiting: () => pool.waiting, drawing: () => pool.busy })

  function sheetOf({ template, data, files = {} }: RenderRequest): RenderJob {
    const sheet = { template: templateText(template), data: JSON.stringify(data), files }
    if (sheet.data.length > MAX_DATA) throw unprintable('it has too much text')
    return sheet
  }

  async function render(printout: RenderRequest) {
    const sheet = sheetOf(printout)
    const key = fingerprint(sheet)
    const before = kept.get(key)
    if (before) results.inc({ result: 'kept' })
    if (before instanceof HttpError) throw before
    const asked = before ?? underWay.get(key)
    if (asked) return asked
    const drawing = draw(printout, sheet, key).then(pdfIn)
    underWay.set(key, drawing)
    try {
      const pdf = await drawing
      kept.set(key, pdf)
      return pdf
    } catch (error) {
      if (error instanceof HttpError && error.status === 422) kept.set(key, error)
      throw error
    } finally {
      underWay.delete(key)
    }
  }

  async function renderPages(printout: RenderRequest) {
    const sheet = sheetOf(printout)
    const drawn = await draw(printout, { ...sheet, asPages: true }, fingerprint(sheet))
    if ('pages' in drawn) return drawn.pages
    throw new Error('The printer gave no pages.')
  }

  async function draw(
    { for: caller, template }: RenderRequest,
    sheet: RenderJob,
    key: string,
  ): Promise<Exclude<Drawn, { error: string }>> {
    const lateKey = `${caller} ${sheet.asPages ?? false} ${key}`
    if (late.has(lateKey)) {
      results.inc({ result: 'remembered' })
      throw tooLong(LATE_SECONDS)
    }
    const bounds = { seconds: limits.PDF_TIMEOUT_SECONDS, megabytes: limits.PDF_MEMORY_MB }
    const outcome = await pool.run(caller, sheet, bounds, template)
    if (!outcome) {
      results.inc({ result: 'refused' })
      throw unavailable('Too many documents are waiting to be printed. Try again in a few seconds.', { code: 'PRINTER_BUSY' })
    }
    results.inc({ result: 'died' in outcome ? outcome.died : 'error' in outcome ? 'failed' : 'drawn' })
    if ('error' in outcome) throw new Error(`PDF rendering failed: ${outcome.error}`)
    if (!('died' in outcome)) return outcome
    const { died, why, cpuSeconds } = outcome
    log.warn({ died, why: why.slice(0, 300), cpuSeconds }, 'document not printed')
    if (died === 'timed_out') late.set(lateKey, true)
    throw errorOf(outcome)
  }

  return { render, renderPages, metrics: [results, durations, ...Object.values(gauges)], stop: pool.stop }
}

function pdfIn(drawn: Exclude<Drawn, { error: string }>): Buffer {
  if (!('pdf' in drawn)) throw new Error('The printer gave no PDF.')
  return Buffer.from(drawn.pdf.buffer, drawn.pdf.byteOffset, drawn.pdf.byteLength)
}

const unprintable = (why: string) => new HttpError(422, 'NOT_PRINTABLE', `This document can't be printed: ${why}.`)

const tooLong = (seconds: number) =>
  unavailable('Printing this document takes too long. Try again later.', { code: 'PRINTING_TIMED_OUT', seconds })

function errorOf({ died }: Death): HttpError {
  if (died === 'timed_out') return tooLong(LATE_SECONDS)
  if (died === 'starved') return tooLong(60)
  if (died === 'not_started')
    return unavailable('Documents can not be printed at the moment.', { code: 'PRINTER_UNAVAILABLE', seconds: 30 })
  return unprintable('its text is more than can be set')
}

/** Cache of recent results, including 422 errors, by a hash of all inputs. Entries can't become stale, only be evicted. */
function keep() {
  let bytes = 0
  const sizeOf = (value: Buffer | HttpError) => (value instanceof HttpError ? 0 : value.length)
  const entries = new QuickLRU<string, Buffer | HttpError>({
    maxSize: 500,
    maxAge: KEPT_MS,
    onEviction: (_, value) => void (bytes -= sizeOf(value)),
  })
  return {
    get: (key: string) => entries.get(key),
    set(key: string, value: Buffer | HttpError) {
      if (entries.has(key) || sizeOf(value) > KEPT_BYTES / 4) return
      entries.set(key, value)
      bytes += sizeOf(value)
      while (bytes > KEPT_BYTES) entries.evict()
    },
  }
}

function fingerprint({ template, data, files }: RenderJob) {
  const hash = createHash('sha256').update(template).update('\0').update(data)
  for (const [name, bytes] of Object.entries(files)) hash.update('\0').update(name).update('\0').update(bytes)
  return hash.digest('base64')
}

function metersOf(now: { waiting(): number; drawing(): number }) {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.set(read())
      },
    })
  return {
    results: new Counter({
      name: 'pdf_documents_total',
      help: 'Documents asked for, by what became of them',
      labelNames: ['result'],
      registers: [],
    }),
    durations: new Histogram({
      name: 'pdf_drawing_seconds',
      help: 'Time to draw a document, without its time in the queue',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 20],
      registers: [],
    }),
    waiting: gauge('pdf_queue_length', 'Documents that wait to be drawn', now.waiting),
    drawing: gauge('pdf_processes_busy', 'Processes that draw', now.drawing),
  }
}
