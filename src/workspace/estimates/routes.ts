import { action, activityRoutes, assignRoute, recordRoutes } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'

import { emailRoute } from '#workspace/billing-documents/public.ts'

import { InvoiceDetail, showInvoice } from '#workspace/invoices/public.ts'
import { paperRoutes } from '#workspace/issued-documents/public.ts'
import { convert } from './conversion.ts'
import { create, estimateList, estimateStats, estimates, update } from './estimates.ts'
import { CreateEstimate, DeclineEstimate, UpdateEstimate } from './schema.ts'
import { accept, decline, email, expire, pdf, send } from './sending.ts'

export default [
  ...recordRoutes(estimates, {
    list: estimateList,
    stats: estimateStats,
    body: CreateEstimate,
    changes: UpdateEstimate,
    create,
    update,
  }),
  ...activityRoutes(estimates),
  assignRoute(estimates),
  action(estimates, '/:id/send', { allow: 'estimates.send', message: 'Estimate sent.' }, send),
  action(estimates, '/:id/accept', { allow: 'estimates.accept', message: 'Estimate accepted.' }, accept),
  action(estimates, '/:id/decline', { allow: 'estimates.accept', body: DeclineEstimate, message: 'Estimate declined.' }, decline),
  action(estimates, '/:id/expire', { allow: 'estimates.accept', message: 'Estimate expired.' }, expire),
  ...paperRoutes(estimates, 'estimates-pdf', pdf),
  workspace.post(
    '/:id/convert',
    { allow: 'estimates.convert', record: estimates.lock, reply: InvoiceDetail, status: 201, message: 'Invoice drafted.' },
    async (ctx, { record }) => showInvoice(ctx, await convert(ctx, record)),
  ),
  emailRoute(estimates, 'estimates.send', email),
]
