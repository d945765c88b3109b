/** The invoice as an e-invoice. */
import { readByIds } from '#kernel/records/view.ts'
import type { EInvoiced } from '#workspace/e-invoices/public.ts'
import { frozenData } from '#workspace/issued-documents/public.ts'
import { creditorReference, enabledMethods } from '#workspace/payments/public.ts'
import { invoices } from './invoices.ts'
import { InvoiceDetail } from './schema.ts'

const Billed = InvoiceDetail.pick({
  ...{
    id: true,
    number: true,
    title: true,
    currency: true,
    issue_date: true,
    due_date: true,
    contact_id: true,
    company_id: true,
  },
  ...{
    delivery_date: true,
    delivery_period_start: true,
    delivery_period_end: true,
    buyer_reference: true,
    order_reference: true,
  },
  ...{ notes: true, terms_and_conditions: true, tax_total: true, total: true, lines: true },
})

/** Data of invoices for e-invoices. */
export const invoiceAsData: EInvoiced<'invoices'> = {
  of: invoices,
  kind: 'invoice',
  read: (ctx, ids) => readByIds(ctx, Billed, 'invoices', ids),
  frozen: (ctx, id) => frozenData(ctx, 'invoices', id),
  async account(ctx) {
    const method = ctx.entitled('payments') ? (await enabledMethods(ctx)).get('bank_transfer') : undefined
    return method && { account_holder: method.account_holder!, iban: method.iban!, bic: method.bic }
  },
  reference: creditorReference,
}
