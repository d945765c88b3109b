import { limiter } from '#kernel/http/limits.ts'
import { platform } from '#kernel/http/route.ts'
import { invoiceList, invoicesOf, printInvoice, showInvoice, workspaceNamed } from './invoices.ts'
import { LedgerInvoice, LedgerInvoiceDetail } from './schema.ts'

const { get } = platform
const pdfs = limiter({ name: 'ledger-invoices-pdf', points: 30, seconds: 60, by: 'user' })
const { query } = invoicesOf(0)

export default [
  get('/invoices', { allow: 'invoices.list', query: invoiceList.query, page: LedgerInvoice }, (ctx, input) =>
    invoiceList.page(ctx, input.query),
  ),
  get('/invoices/:id', { allow: 'invoices.read', reply: LedgerInvoiceDetail }, (ctx, { id }) => showInvoice(ctx, id)),
  get('/invoices/:id/pdf', { allow: 'invoices.read', limit: pdfs, file: 'application/pdf' }, (ctx, { id }) =>
    printInvoice(ctx, id),
  ),
  get(
    '/tenants/:id/invoices',
    { allow: 'invoices.list', record: workspaceNamed, query, page: LedgerInvoice, operation: 'listTenantInvoices' },
    (ctx, input) => invoicesOf(input.id).page(ctx, input.query),
  ),
]
