import { platform } from '#kernel/http/route.ts'
import { tenants } from '#platform/tenants/public.ts'
import { LedgerPayment, paymentList, showPayment, tenantPayments } from './payments.ts'

const { get } = platform

export default [
  get('/payments', { allow: 'payments.list', query: paymentList.query, page: LedgerPayment }, (ctx, { query }) =>
    paymentList.page(ctx, query),
  ),
  get('/payments/:id', { allow: 'payments.read', reply: LedgerPayment }, (ctx, { id }) => showPayment(ctx, id)),
  get(
    '/tenants/:id/payments',
    {
      allow: 'payments.list',
      record: tenants.find,
      query: tenantPayments.query,
      page: LedgerPayment,
      operation: 'listTenantPayments',
    },
    (ctx, { id, query }) => tenantPayments.page({ ...ctx, tenantId: id }, query),
  ),
]
