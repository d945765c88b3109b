/** Invoices of the ledger, for operators (BIL-05). */
import { sql } from 'kysely'
import type { PlatformCtx } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import { renderPdf } from '#kernel/pdf/pdf-spec.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { readOne } from '#kernel/records/view.ts'
import { invoicePdf } from '#platform/billing/public.ts'
import { gatewayWords } from '#platform/payment-gateways/public.ts'
import { ofTenant } from '#platform/tenants/public.ts'
import { LedgerInvoice, LedgerInvoiceDetail, STATUSES } from './schema.ts'

const filters = { status: filter.oneOf('status', STATUSES), gateway: filter.text('gateway', gatewayWords) }
const search = ['number', 'tenant_name', 'tenant_email'] as const

export const invoiceList = listing(platformTable('ledger_invoices', LedgerInvoice), {
  hardDeleted: true,
  search,
  filters: { ...filters, tenant_id: filter.id('tenant_id') },
})

/** Invoices of one workspace (CEN-31). */
export const tenantInvoices = listing(ofTenant('ledger_invoices', LedgerInvoice), { hardDeleted: true, search, filters })

export const showInvoice = (ctx: PlatformCtx, id: number) =>
  readOne(ctx, LedgerInvoiceDetail, 'ledger_invoices', sql`ledger_invoices.id = ${id}`, { noun: 'invoice' })

/** Returns the file `<number>.pdf`, rendered after the transaction. */
export async function printInvoice(ctx: PlatformCtx, id: number) {
  const invoice = await ctx.tx.selectFrom('ledger_invoices').selectAll().where('id', '=', id).executeTakeFirst()
  if (!invoice) throw notFound('There is no such invoice.')
  const drawing = await invoicePdf(ctx, invoice)
  return { name: `${invoice.number}.pdf`, type: 'application/pdf', content: () => renderPdf(ctx.services, 0, drawing) }
}
