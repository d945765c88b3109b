/** The invoice that a credit note corrects (EN 16931, BG-3): it must be issued, to the same customer, in the same currency. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { type Listener, on } from '#kernel/modules/events.ts'
import { emptyReferences } from '#kernel/records/on-purge.ts'
import { type OfferLine, type StoredOfferLine, storedLines } from '#workspace/billing-documents/public.ts'
import { invoiceLines } from '#workspace/invoices/public.ts'

/** Columns that a credit note takes from the invoice: customer, currency and delivery. */
const TAKEN = [
  ...(['contact_id', 'company_id', 'currency'] as const),
  ...(['delivery_date', 'delivery_period_start', 'delivery_period_end', 'buyer_reference', 'order_reference'] as const),
] as const
interface Party {
  contact_id?: number | null
  company_id?: number | null
}

interface Corrected extends Record<Exclude<(typeof TAKEN)[number], keyof Party>, string | null> {
  number: string
  status: string
  currency: string
  contact_id: number | null
  company_id: number | null
  line_discount_type: 'none' | 'percent' | 'fixed'
  was_issued: boolean
}

async function corrected(ctx: Ctx, id: number): Promise<Corrected | undefined> {
  const { rows } = await sql<Corrected>`
    select i.number, i.status, i.line_discount_type, ${sql.join(TAKEN.map((column) => sql.ref(`i.${column}`)))},
      i.status in ('unpaid', 'paid') or exists (
        select 1 from issued_documents d where d.tenant_id = ${ctx.tenant.id} and d.subject_type = 'invoices' and d.subject_id = i.id
      ) as was_issued
    from invoices i where i.tenant_id = ${ctx.tenant.id} and i.id = ${id} and i.deleted_at is null`.execute(ctx.tx)
  return rows[0]
}

/** The buyer is the company, or the contact alone; undefined without a customer. */
export const buyerOf = ({ company_id, contact_id }: Party) =>
  company_id != null ? `company ${company_id}` : contact_id != null ? `contact ${contact_id}` : undefined

/** 422 on `corrects_invoice_id` of an invoice that was never issued, or has another customer or currency. */
function refuse(invoice: Corrected | undefined, note: Party & { currency: string }) {
  const refused = (message: string) => invalid({ corrects_invoice_id: message })
  if (!invoice) throw refused('The invoice that it corrects was deleted.')
  const { number, status, currency } = invoice
  if (!invoice.was_issued) throw refused(`${number} is ${status} and was never issued; only an issued invoice can be corrected.`)
  if (currency !== note.currency) throw refused(`${number} is in ${currency}, and the credit note in ${note.currency}.`)
  if (buyerOf(invoice) !== buyerOf(note)) throw refused(`${number} is for another customer than the credit note.`)
}

/** Checks the stored data of a credit note with `refuse`; does nothing if it corrects no invoice. */
export async function refuseWrongInvoice(
  ctx: Ctx,
  { corrects_invoice_id: id, ...note }: Party & { corrects_invoice_id?: number | null; currency: string },
) {
  if (id != null) refuse(await corrected(ctx, id), note)
}

type Sent = Party & Partial<Record<(typeof TAKEN)[number], unknown>> & { corrects_invoice_id?: number | null; lines: OfferLine[] }
type Taken = Partial<Pick<Corrected, (typeof TAKEN)[number] | 'line_discount_type'>> & { lines?: StoredOfferLine[] }

/**
 * Returns values that a new credit note takes from its invoice because they weren't sent: customer, currency, delivery; without
 * lines, all lines of the invoice. The actor may see the invoice.
 */
export async function takenOver(ctx: Ctx, sent: Sent): Promise<Taken> {
  const { corrects_invoice_id: id } = sent
  if (id == null) return {}
  const invoice = await corrected(ctx, id)
  const isForNobody = sent.contact_id == null && sent.company_id == null
  const open = TAKEN.filter((column) => (column.endsWith('_id') ? isForNobody : sent[column] === undefined))
  const taken: Taken = Object.fromEntries(open.map((column) => [column, invoice?.[column] ?? undefined]))
  refuse(invoice, { ...sent, ...taken } as Party & { currency: string })
  if (sent.lines.length) return taken
  const lines = await storedLines<StoredOfferLine>(ctx, invoiceLines, id)
  return { ...taken, lines, line_discount_type: invoice!.line_discount_type }
}

/** Number and date of the invoices that credit notes correct, by the ids of the notes. */
export async function correctedBy(ctx: Ctx, ids: number[]): Promise<Map<number, { number: string; issued_on: string }>> {
  const { rows } = await sql<{ id: number; number: string; issued_on: string }>`
    select n.id, i.number, i.issue_date as issued_on from credit_notes n
    join invoices i on i.tenant_id = ${ctx.tenant.id} and i.id = n.corrects_invoice_id
    where n.tenant_id = ${ctx.tenant.id} and n.id = any(${ids}::bigint[])`.execute(ctx.tx)
  return new Map(rows.map(({ id, ...invoice }) => [id, invoice]))
}

/** An invoice can't be purged while an issued credit note corrects it: 422 on `status`. Drafts lose the reference. */
export const keepCorrected: Listener<'record.purged'> = on('record.purged', async (ctx, { table, id }) => {
  if (table !== 'invoices') return
  const issued = await ctx
    .from('credit_notes')
    .select('number')
    .where('corrects_invoice_id', '=', id)
    .where('issue_date', 'is not', null)
    .executeTakeFirst()
  if (issued) throw invalid({ status: `${issued.number} corrects this invoice; it can’t be removed for good.` })
  await emptyReferences(ctx, 'credit_notes', 'corrects_invoice_id', id)
})
