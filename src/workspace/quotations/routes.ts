import { action, activityRoutes, assignRoute, recordRoutes } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { acceptanceRoutes } from '#workspace/acceptance/public.ts'
import { emailRoute } from '#workspace/billing-documents/public.ts'
import { InvoiceDetail, showInvoice } from '#workspace/invoices/public.ts'
import { paperRoutes } from '#workspace/issued-documents/public.ts'
import { accept, acceptableQuotation, expire, reject } from './answering.ts'
import { convert } from './conversion.ts'
import { create, quotationList, quotationStats, quotations, update } from './quotations.ts'
import { CreateQuotation, RejectQuotation, UpdateQuotation } from './schema.ts'
import { email, pdf, send } from './sending.ts'

export default [
  ...recordRoutes(quotations, {
    list: quotationList,
    stats: quotationStats,
    body: CreateQuotation,
    changes: UpdateQuotation,
    create,
    update,
  }),
  ...activityRoutes(quotations),
  assignRoute(quotations),
  action(quotations, '/:id/send', { allow: 'quotations.send', message: 'Quotation sent.' }, send),
  ...acceptanceRoutes(acceptableQuotation, 'quotations.send'),
  action(quotations, '/:id/accept', { allow: 'quotations.accept', message: 'Quotation accepted.' }, (ctx, quotation) =>
    accept(ctx, quotation),
  ),
  action(
    quotations,
    '/:id/reject',
    { allow: 'quotations.accept', body: RejectQuotation, message: 'Quotation rejected.' },
    reject,
  ),
  action(quotations, '/:id/expire', { allow: 'quotations.accept', message: 'Quotation expired.' }, expire),
  ...paperRoutes(quotations, 'quotations-pdf', pdf),
  workspace.post(
    '/:id/convert',
    { allow: 'quotations.convert', record: quotations.lock, reply: InvoiceDetail, status: 201, message: 'Invoice drafted.' },
    async (ctx, { record }) => showInvoice(ctx, await convert(ctx, record)),
  ),
  emailRoute(quotations, 'quotations.send', email),
]
