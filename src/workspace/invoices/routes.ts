import { action, activityRoutes, assignRoute, recordRoutes, statusRoute } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { emailRoute } from '#workspace/billing-documents/public.ts'
import { eInvoiceRoutes } from '#workspace/e-invoices/public.ts'
import { paperRoutes } from '#workspace/issued-documents/public.ts'
import { invoiceAsData } from './e-invoice.ts'
import { email } from './emailing.ts'
import { create, invoiceList, invoiceStats, invoices, update } from './invoices.ts'
import { lifecycle } from './lifecycle.ts'
import { PayLink, payLink } from './paying.ts'
import { invoicePdf } from './pdf.ts'
import { CreateInvoice, StopRecurrence, UpdateInvoice } from './schema.ts'
import { send } from './sending.ts'
import { settleByHand } from './settlement.ts'
import { remove, stopRecurrence, voidInvoice } from './voiding.ts'

export default [
  ...recordRoutes(invoices, {
    list: invoiceList,
    stats: invoiceStats,
    body: CreateInvoice,
    changes: UpdateInvoice,
    create,
    update,
    remove,
  }),
  ...activityRoutes(invoices),
  assignRoute(invoices),
  action(
    invoices,
    '/:id/send',
    {
      allow: 'invoices.send',
      message: 'Invoice sent.',
      description:
        'Issues a draft: its status becomes `unpaid`, `issue_date` is today unless set, and what it prints is frozen. It mails nothing; `email` does.',
    },
    send,
  ),
  action(
    invoices,
    '/:id/void',
    {
      allow: 'invoices.void',
      message: 'Invoice voided.',
      description: 'Cancels an invoice. 422 on `status` while payments or credit are booked on it: take those back first.',
    },
    voidInvoice,
  ),
  action(
    invoices,
    '/:id/recurrence/stop',
    {
      allow: 'invoices.update',
      body: StopRecurrence,
      message: 'Series stopped.',
      description:
        'Ends the series of which this invoice is the root: no further invoice is made. The invoices that it made stay.',
    },
    stopRecurrence,
  ),
  workspace.post(
    '/:id/pay-link',
    {
      allow: 'invoices.send',
      record: invoices.lock,
      reply: PayLink,
      message: 'Whoever has the link can see the invoice and pay it.',
      operation: 'issueInvoicePayLink',
      summary: 'Make a pay link of an invoice',
      description:
        'Makes a link by which whoever has it sees an unpaid invoice, its PDF and how to pay it. The address is told once. 422 where no way to pay is on.',
    },
    (ctx, { record }) => payLink(ctx, record),
  ),
  statusRoute(invoices, lifecycle, { send, void: voidInvoice, settle: settleByHand }),
  ...paperRoutes(invoices, 'invoices-pdf', invoicePdf),
  ...eInvoiceRoutes(invoiceAsData),
  emailRoute(invoices, 'invoices.send', email),
]
