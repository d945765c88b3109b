import { action, activityRoutes, assignRoute, recordRoutes, statusRoute } from '#kernel/http/record-routes.ts'
import { under, workspace } from '#kernel/http/route.ts'
import { draftsOnly } from '#kernel/records/machine.ts'
import { emailRoute } from '#workspace/billing-documents/public.ts'
import { eInvoiceRoutes } from '#workspace/e-invoices/public.ts'
import { paperRoutes, previewRoutes } from '#workspace/issued-documents/public.ts'
import { refusePayLink } from '#workspace/payments/public.ts'
import { invoiceAsData } from './e-invoice.ts'
import { email, refuseMailing } from './emailing.ts'
import { create, invoiceList, invoiceSeries, invoiceStats, invoices, update } from './invoices.ts'
import { lifecycle } from './lifecycle.ts'
import { PayLink, payLink } from './paying.ts'
import { invoicePdf, issuableInvoice } from './pdf.ts'
import { planRoutes } from './reminders/plans.ts'
import { pauseReminders, RemindInvoice, refuseReminder, remindByHand, reminding } from './reminders/reminding.ts'
import { InvoiceReminder } from './reminders/shown.ts'
import { CreateInvoice, StopRecurrence, UpdateInvoice } from './schema.ts'
import { send } from './sending.ts'
import { refuseWhileDue, settleByHand } from './settlement.ts'
import { refuseDeletion, refuseVoiding, refuseWithoutSeries, stopRecurrence, voidInvoice } from './voiding.ts'

const kept = {
  body: CreateInvoice,
  changes: UpdateInvoice,
  create,
  update,
  guards: { update: draftsOnly(invoices), remove: refuseDeletion },
}

const records = [
  ...recordRoutes(invoices, { list: invoiceList, stats: invoiceStats, series: invoiceSeries, ...kept }),
  ...activityRoutes(invoices),
  assignRoute(invoices),
  action(
    invoices,
    '/:id/send',
    {
      allow: 'invoices.send',
      grants: false,
      message: 'Invoice sent.',
      description:
        'Issues a draft: what it prints is frozen. It mails nothing. Its status becomes `unpaid`, `issue_date` is today unless set; `email` mails it.',
    },
    send,
  ),
  action(
    invoices,
    '/:id/void',
    {
      allow: 'invoices.void',
      grants: false,
      guard: refuseVoiding,
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
      grants: false,
      body: StopRecurrence,
      guard: refuseWithoutSeries,
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
      grants: false,
      record: invoices.lock,
      guard: refusePayLink,
      reply: PayLink,
      message: 'Whoever has the link can see the invoice and pay it.',
      operation: 'issueInvoicePayLink',
      summary: 'Make a pay link of an invoice',
      description:
        'Makes a link by which whoever has it sees an unpaid invoice, its PDF and how to pay it. The address is told once. 422 where no way to pay is on, 403 for who may not view the customer.',
    },
    (ctx, { record }) => payLink(ctx, record),
  ),
  workspace.post(
    '/:id/remind',
    {
      allow: 'invoices.send',
      grants: false,
      limit: reminding,
      record: invoices.lock,
      guard: refuseReminder,
      body: RemindInvoice,
      reply: InvoiceReminder,
      message: 'The reminder is on its way.',
      operation: 'remindOfInvoice',
      summary: 'Remind a customer of an invoice',
      description:
        'Mails the customer what is left to pay of an unpaid invoice, with its PDF and a button to pay by: by the last step of the active plan whose day has come, where that was not sent, else by none.',
    },
    (ctx, { record, body }) => remindByHand(ctx, record, body),
  ),
  action(
    invoices,
    '/:id/reminders/pause',
    {
      allow: 'invoices.update',
      grants: false,
      message: 'Reminders paused.',
      operation: 'pauseInvoiceReminders',
      summary: 'Pause the reminders of an invoice',
      description: 'No plan reminds of the invoice any more, until its reminders are resumed.',
    },
    (ctx, invoice) => pauseReminders(ctx, invoice, true),
  ),
  action(
    invoices,
    '/:id/reminders/resume',
    {
      allow: 'invoices.update',
      grants: false,
      message: 'Reminders resumed.',
      operation: 'resumeInvoiceReminders',
      summary: 'Resume the reminders of an invoice',
      description:
        'The active plan reminds of the invoice again. Of the steps whose day has come meanwhile only the last is sent.',
    },
    (ctx, invoice) => pauseReminders(ctx, invoice, false),
  ),
  statusRoute(
    invoices,
    lifecycle,
    { send, void: voidInvoice, settle: settleByHand },
    { void: refuseVoiding, settle: refuseWhileDue },
  ),
  ...paperRoutes(invoices, 'invoices-pdf', invoicePdf),
  ...previewRoutes(invoices, issuableInvoice, kept),
  ...eInvoiceRoutes(invoiceAsData),
  emailRoute(invoices, { allow: 'invoices.send', guard: refuseMailing }, email),
]

export default [...under('/invoices', records), ...planRoutes]
