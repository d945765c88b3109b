import { limiter } from '#kernel/http/limits.ts'
import { workspace } from '#kernel/http/route.ts'
import { drawPdf } from '#kernel/pdf/drawing.ts'
import { action, assignRoute, recordRoutes, statusRoute, storyRoutes } from '#kernel/records/routes.ts'
import { billingDocumentEmail, EmailDocument, EmailedDocument } from '#workspace/billing-documents/public.ts'
import { email } from './emailing.ts'
import { create, invoiceList, invoiceStats, invoices, update } from './invoices.ts'
import { lifecycle } from './lifecycle.ts'
import { invoicePdf } from './pdf.ts'
import { CreateInvoice, StopRecurrence, UpdateInvoice } from './schema.ts'
import { send } from './sending.ts'
import { settleByHand } from './settlement.ts'
import { stopRecurrence, voidInvoice } from './voiding.ts'

const { get, post } = workspace

/** INV-65. */
const invoicePdfs = limiter({ name: 'invoices-pdf', points: 30, seconds: 60, by: 'user' })

export default [
  ...recordRoutes(invoices, {
    list: invoiceList,
    stats: invoiceStats,
    body: CreateInvoice,
    changes: UpdateInvoice,
    create,
    update,
  }),
  ...storyRoutes(invoices),
  assignRoute(invoices),
  action(invoices, '/:id/send', { allow: 'invoices.send', message: 'Invoice sent.' }, send),
  action(invoices, '/:id/void', { allow: 'invoices.void', message: 'Invoice voided.' }, voidInvoice),
  action(
    invoices,
    '/:id/recurrence/stop',
    { allow: 'invoices.update', body: StopRecurrence, message: 'Series stopped.' },
    stopRecurrence,
  ),
  statusRoute(invoices, lifecycle, { send, void: voidInvoice, settle: settleByHand }),
  get('/:id/pdf', { allow: 'invoices.view', limit: invoicePdfs, file: 'application/pdf' }, async (ctx, { id }) => {
    const invoice = await invoices.find(ctx, id)
    const drawing = await invoicePdf(ctx, invoice)
    const content = () => drawPdf(ctx.services, ctx.tenant.id, drawing)
    return { name: `${invoice.number}.pdf`, type: 'application/pdf', content }
  }),
  post(
    '/:id/email',
    {
      allow: 'invoices.send',
      limit: billingDocumentEmail,
      record: invoices.find,
      body: EmailDocument,
      reply: EmailedDocument,
      message: 'The mail is on its way.',
    },
    (ctx, { record, body }) => email(ctx, record, body),
  ),
]
