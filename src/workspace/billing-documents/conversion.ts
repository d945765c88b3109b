/** Converts another document to an invoice, once, for users with the permissions for both. */
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import type { Changes, RecordTable, Resource, Row } from '#kernel/records/resource.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { offerSentences } from './emailing.ts'

interface Convertible {
  number: string
  status: string
  converted_invoice_id: number | null
}

/**
 * 422 on `status` for a document in another state than `from`, and on its noun if the workspace has no invoices or it was already
 * converted; 403 without `invoices.create`.
 */
export const conversionGuard =
  ({ noun }: { noun: string }, from: string[]) =>
  (ctx: Ctx, { number, status, converted_invoice_id }: Convertible) => {
    if (!from.includes(status))
      throw invalid({ status: `Only ${from.join(' and ')} ${noun}s become invoices; this one is ${status}.` })
    if (!ctx.entitled('invoices')) throw invalid({ [noun]: 'The Invoices module is not available for this workspace.' })
    ctx.require('invoices.create')
    if (converted_invoice_id !== null) throw invalid({ [noun]: `${number} was already converted to an invoice.` })
  }

/**
 * Creates the invoice with `draft`, stores its id in the document, and returns it. The document must be locked and have passed
 * the guard.
 */
export async function convertToInvoice<T extends RecordTable>(
  ctx: Ctx,
  of: Resource<T>,
  document: Row<T> & { id: number },
  draft: () => Promise<number>,
): Promise<number> {
  const invoice_id = await draft()
  await allPipelined(
    of.save(ctx, document, { converted_invoice_id: invoice_id } as unknown as Changes<T>),
    logActivity(ctx, { table: of.table, activityTemplates: offerSentences }, document.id, 'converted', { invoice_id }),
  )
  return invoice_id
}
