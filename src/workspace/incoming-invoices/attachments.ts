/**
 * Files inside an invoice: embedded in its XML (BG-24) or attached to its PDF. They are extracted from the stored file at each
 * request.
 */
import { buffer } from 'node:stream/consumers'
import type { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import type { FileReply } from '#kernel/http/answer.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { incoming } from './incoming-invoices.ts'
import type { InvoiceData } from './reading/invoice-data.ts'
import type { readAttachment } from './reading/read-invoice.ts'
import type { IncomingAttachment } from './schema.ts'

const read = isolated<typeof readAttachment>(import.meta.resolve('./reading/read-invoice.ts'), 'readAttachment', {
  seconds: 20,
  megabytes: 600,
})

const NONE = 'There is no such attachment.'

/** Lists the files inside an invoice. */
export async function attachmentsOf(ctx: Ctx, id: number): Promise<z.output<typeof IncomingAttachment>[]> {
  const { data } = await incoming.find(ctx, id)
  const { attached_files = [] } = data as unknown as Partial<InvoiceData>
  return attached_files.map((file, n) => ({ id: n + 1, ...file }))
}

/** Returns one of the files, with its type from its first bytes. 404 if there is none; 422 if it is too large to be read. */
export async function downloadAttachment(steps: WorkspaceSteps, id: number, key: string): Promise<FileReply> {
  const place = /^[1-9]\d{0,3}$/.test(key) ? Number(key) - 1 : -1
  const { file_key, format } = await steps.read(async (ctx) => {
    const files = await attachmentsOf(ctx, id)
    if (!files[place]) throw notFound(NONE)
    return incoming.find(ctx, id)
  })
  const stored = await steps.services.storage.read(file_key)
  if (!stored) throw notFound('There is no such file.')
  const input = { content: await buffer(stored), isPdf: format === 'pdf', place }
  const outcome = await read(steps.services, steps.tenant.id, input).catch((error) => {
    throw isBeyondReading(error) ? invalid({ attachment: 'Is more than can be read.' }) : error
  })
  if ('wrong' in outcome) throw invalid({ attachment: outcome.wrong })
  const { name, type, content } = outcome
  return { name: fileNameOf(name), type, content: () => Buffer.from(content) }
}

/** Returns the last part of a path without non-printable characters. */
const fileNameOf = (name: string) =>
  name
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim() || 'attachment'
