import { limiter } from '#kernel/http/limits.ts'
import { platform } from '#kernel/http/route.ts'
import { tenants } from '#platform/tenants/public.ts'
import { invoiceList, printInvoice, showInvoice, tenantInvoices } from './invoices.ts'
import { LedgerInvoice, LedgerInvoiceDetail } from './schema.ts'

const { get } = platform
const pdfs = limiter({ name: 'ledger-invoices-pdf', points: 30, seconds: 60, by: 'user' })

export default [
  get('/invoices', { allow: 'invoices.list', query: invoiceList.query, page: LedgerInvoice }, (ctx, { query }) =>
    invoiceList.page(ctx, query),
  ),
  get('/invoices/:id', { allow: 'invoices.read', reply: LedgerInvoiceDetail }, (ctx, { id }) => showInvoice(ctx, id)),
  get('/invoices/:id/pdf', { allow: 'invoices.read', limit: pdfs, file: 'application/pdf' }, (ctx, { id }) =>
    printInvoice(ctx, id),
  ),
  get(
    '/tenants/:id/invoices',
    {
      allow: 'invoices.list',
      record: tenants.find,
      query: tenantInvoices.query,
      page: LedgerInvoice,
      operation: 'listTenantInvoices',
    },
    (ctx, { id, query }) => tenantInvoices.page({ ...ctx, tenantId: id }, query),
  ),
]
