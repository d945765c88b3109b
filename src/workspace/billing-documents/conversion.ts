/** Making an invoice of another document: once, by whoever may do both. */
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import type { Changes, RecordTable, Resource, Row } from '#kernel/records/resource.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { offerSentences } from './emailing.ts'

interface Convertible {
  id: number
  number: string
  status: string
  converted_invoice_id: number | null
}

/**
 * The id of the invoice that `draft` makes, noted in the document, which is locked. 422 on `status` for one in another state than `from`, and
 * on the document's noun where the workspace has no invoices or there is one already; 403 without `invoices.create`.
 */
export async function convertToInvoice<T extends RecordTable>(
  ctx: Ctx,
  of: Resource<T>,
  document: Row<T> & Convertible,
  from: string[],
  draft: () => Promise<number>,
): Promise<number> {
  const { id, number, status } = document
  if (!from.includes(status))
    throw invalid({ status: `Only ${from.join(' and ')} ${of.noun}s become invoices; this one is ${status}.` })
  if (!ctx.entitled('invoices')) throw invalid({ [of.noun]: 'The Invoices module is not available for this workspace.' })
  ctx.require('invoices.create')
  if (document.converted_invoice_id !== null) throw invalid({ [of.noun]: `${number} was already converted to an invoice.` })
  const invoice_id = await draft()
  await allPipelined(
    of.save(ctx, document, { converted_invoice_id: invoice_id } as unknown as Changes<T>),
    logActivity(ctx, { table: of.table, activityTemplates: offerSentences }, id, 'converted', { invoice_id }),
  )
  return invoice_id
}
