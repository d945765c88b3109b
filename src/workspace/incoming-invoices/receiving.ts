/** Receives a file: it is read in a child process before any transaction, then stored with the data read. */
import { buffer } from 'node:stream/consumers'
import type { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { discardUnused, keepUpload, receiveUpload, type Upload, type UploadRule } from '#kernel/storage/uploads.ts'
import { decimal } from '#kernel/values/money.ts'
import { readAttachment } from '#workspace/email/public.ts'
import { countStorage } from '#workspace/storage/public.ts'
import { book, hindrance } from './booking.ts'
import { depositsOf, lockSeller } from './deposits.ts'
import { type InvoiceNumber, incoming, standing } from './incoming-invoices.ts'
import { cautions, match, remarks, sellerKeyOf } from './matching.ts'
import type { InvoiceData, Problem } from './reading/invoice-data.ts'
import type { readInvoice } from './reading/read-invoice.ts'
import type { ReadInvoice } from './schema.ts'

/** `file-type` doesn't recognise XML without its first line, and takes some for other XML formats. */
const XML_KINDS = ['', 'xml']
export const invoiceFile: UploadRule = {
  maxBytes: 20 * 1024 * 1024,
  kinds: [...XML_KINDS, 'pdf'],
  expected: 'an e-invoice: XML in UBL or CII, or a PDF with it inside (Factur-X, ZUGFeRD)',
  tooLarge: 422,
}

/** Content type of the stored file. */
export const mimeOf = ({ format }: { format: string }) => (format === 'pdf' ? 'application/pdf' : 'application/xml')

const read = isolated<typeof readInvoice>(import.meta.resolve('./reading/read-invoice.ts'), 'readInvoice', {
  seconds: 20,
  megabytes: 600,
})

interface Found {
  invoice: InvoiceData
  problems: Problem[]
}

/** The request field that the file came in; errors of the file refer to it. */
type Field = 'file' | 'email_attachment_id'

/** 422 on the field if the file can't be read as an e-invoice. */
async function readFile({ services, tenant }: WorkspaceSteps, { key, kind }: Upload, field: Field): Promise<Found> {
  const content = await services.storage.read(key)
  if (!content) throw notFound('There is no such file.')
  const outcome = await read(services, tenant.id, { content: await buffer(content), isPdf: kind === 'pdf' }).catch((error) => {
    throw isBeyondReading(error) ? invalid({ [field]: 'Is more than can be read.' }) : error
  })
  if ('wrong' in outcome) throw invalid({ [field]: outcome.wrong })
  return outcome
}

type Sent = z.output<typeof ReadInvoice>

/**
 * Receives an uploaded file, or an attachment of the caller's own mailboxes. 422 on missing fields, or on fields sent in addition
 * to a file.
 */
export async function receiveInvoice(steps: WorkspaceSteps, file: Upload | undefined, sent: Sent) {
  const { email_message_uuid: uuid, email_attachment_id: id } = sent
  if (uuid == null && id == null) {
    if (!file) throw invalid({ file: 'Send a file, or email_message_uuid and email_attachment_id of a received e-mail.' })
    return receiveFile(steps, file, 'file')
  }
  if (file) throw invalid({ file: 'Send either a file or an attachment of an e-mail.' })
  if (uuid == null) throw invalid({ email_message_uuid: 'Is required with email_attachment_id.' })
  if (id == null) throw invalid({ email_attachment_id: 'Is required with email_message_uuid.' })
  const copied = await copyOf(steps, { uuid, id })
  try {
    return await receiveFile(steps, copied, 'email_attachment_id')
  } finally {
    await discardUnused(steps.services, [copied])
  }
}

async function copyOf(steps: WorkspaceSteps, attachment: { uuid: string; id: string }): Promise<Upload> {
  const { services, tenant } = steps
  const copied = await readAttachment(steps, attachment, (given) => receiveUpload(services, tenant.id, given, invoiceFile))
  if (copied === undefined) throw invalid({ email_attachment_id: 'There is no such attachment of an e-mail that you received.' })
  if (typeof copied === 'string') throw invalid({ email_attachment_id: copied })
  return copied
}

/**
 * Reads and stores a file. A valid invoice without a notice that holds it becomes a draft expense at once; any other waits for a
 * user's decision. 422 on the field if it can't be read, was received before, or exceeds the storage quota.
 */
async function receiveFile(steps: WorkspaceSteps, file: Upload, field: Field) {
  const found = await readFile(steps, file, field)
  return steps.finish(async (ctx) => incoming.renderUnscoped(ctx, await takeIn(ctx, file, found, field)))
}

/** Stores a file with the data read from it, matches it, and books it if nothing prevents that. Returns its id. */
export async function takeIn(ctx: Ctx, file: Upload, { invoice, problems }: Found, field: Field = 'file'): Promise<number> {
  const { number, kind, issue_date, due_date, currency, totals, seller, syntax, type_code } = invoice
  const seller_key = sellerKeyOf(seller)
  const called: InvoiceNumber = { seller_key, number, kind, type_code, issue_date }
  await lockSeller(ctx, seller_key)
  await refuseSecond(ctx, called, seller.name!, field)
  const { notices: found, ...matched } = await match(ctx, invoice)
  const deposits = await depositsOf(ctx, { seller_key, currency, kind }, invoice)
  const notices = [...found, ...(await cautions(ctx, invoice, seller_key)), ...(await remarks(ctx, invoice, called, deposits))]
  const amount = (value: number) => decimal(value).round(4).toFixed()
  const row = await incoming.insert(ctx, {
    ...{ kind, number, issue_date, due_date, currency, seller_key, ...matched },
    seller_name: seller.name!.slice(0, 255).toWellFormed(),
    tax_total: amount(totals.tax ?? 0),
    total: amount(totals.total),
    amount_due: amount(totals.due ?? totals.total),
    format: file.kind === 'pdf' ? 'pdf' : syntax,
    is_valid: !problems.length,
    data: JSON.stringify(invoice),
    problems: JSON.stringify(problems),
    notices: JSON.stringify(notices.map(({ holds: _, ...notice }) => notice)),
    ...{ file_name: file.name, file_key: file.key, size_bytes: file.bytes, sha256: file.sha256 },
  })
  await keepUpload(ctx, file)
  if (row.is_valid && !hindrance(row) && !notices.some(({ holds }) => holds)) await book(ctx, row)
  await countStorage(ctx, file.bytes, 'file') // last, because it locks the counter
  return row.id
}

/** Names the existing invoice in the error. Two simultaneous ones are rejected by the database. */
async function refuseSecond(ctx: Ctx, called: InvoiceNumber, seller: string, field: Field) {
  const before = await standing(ctx, called)
  if (!before) return
  const day = before.created_at.slice(0, 10)
  throw invalid({ [field]: `${called.number} of ${seller} was received on ${day} already, as incoming invoice ${before.id}.` })
}
