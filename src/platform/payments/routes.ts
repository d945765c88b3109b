import { platform } from '#kernel/http/route.ts'
import { workspaceNamed } from '#platform/invoices/public.ts'
import { LedgerPayment, paymentList, paymentsOf, showPayment } from './payments.ts'

const { get } = platform
const { query } = paymentsOf(0)

export default [
  get('/payments', { allow: 'payments.list', query: paymentList.query, page: LedgerPayment }, (ctx, input) =>
    paymentList.page(ctx, input.query),
  ),
  get('/payments/:id', { allow: 'payments.read', reply: LedgerPayment }, (ctx, { id }) => showPayment(ctx, id)),
  get(
    '/tenants/:id/payments',
    { allow: 'payments.list', record: workspaceNamed, query, page: LedgerPayment, operation: 'listTenantPayments' },
    (ctx, input) => paymentsOf(input.id).page(ctx, input.query),
  ),
]
