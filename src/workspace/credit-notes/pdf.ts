/** The credit note on paper. It prints what is stored and computes nothing. */
import type { Ctx } from '#kernel/context.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { humanised } from '#kernel/values/words.ts'
import { billingDocument, brandingOf, customerOf, printed } from '#workspace/billing-documents/public.ts'
import { type CreditNote, creditNotes } from './credit-notes.ts'

/** What the credit note's PDF shows, read now, in the transaction; it is drawn later. */
export async function creditNotePdf(ctx: Ctx, { id }: CreditNote): Promise<PdfSpec> {
  const note = await creditNotes.loadDetailUnscoped(ctx, id)
  const { number, title, status, currency, issue_date } = note
  const [customer, { branding, logo }] = await Promise.all([customerOf(ctx, note), brandingOf(ctx)])
  const print = printed(ctx.tenant.locale, currency)
  const document = {
    ...branding,
    kind: 'Credit note',
    number,
    title,
    status: humanised(status),
    issued_on: issue_date,
    dates: issue_date ? [{ label: 'Issue date', value: issue_date }] : [],
    recipient: customer.printed && { label: 'Credit to', ...customer.printed },
    currency,
    lines: note.lines.map(print.line),
    totals: print.totals(note),
  }
  return billingDocument(document, { logo })
}
