import { z } from 'zod'
import { limiter } from '#kernel/http/limits.ts'
import { action, activityRoutes, recordRoutes } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { renderPdf } from '#kernel/pdf/pdf-spec.ts'
import { attachmentsOf, downloadAttachment } from './attachments.ts'
import { book, refuseBooking, refuseRejection, refuseRematch, refuseReopening, reject, rematch, reopen } from './booking.ts'
import { incoming, incomingList, incomingStats } from './incoming-invoices.ts'
import { lifecycle } from './lifecycle.ts'
import { readablePdf } from './paper.ts'
import { ATTACHMENT_TYPES } from './reading/attachment-types.ts'
import { invoiceFile, mimeOf, receiveInvoice } from './receiving.ts'
import { purge, refuseRemoval, remove, restore } from './removing.ts'
import { IncomingAttachment, IncomingInvoiceDetail, MatchInvoice, ReadInvoice, RejectInvoice } from './schema.ts'

const { get, del, multiTransaction } = workspace
const allow = 'incoming-invoices.update'

export default [
  ...recordRoutes(incoming, {
    list: incomingList,
    stats: incomingStats,
    changes: MatchInvoice,
    update: rematch,
    remove,
    restore,
    guards: { update: refuseRematch, remove: refuseRemoval },
    force: 'own', // below, because it also deletes a file
  }),
  multiTransaction.post(
    '/',
    {
      allow: 'incoming-invoices.create',
      grants: false,
      body: ReadInvoice,
      upload: { file: invoiceFile },
      reply: IncomingInvoiceDetail,
      status: 201,
      message: 'Invoice received.',
      limit: limiter({ name: 'incoming-invoices', points: 60, seconds: 60, by: 'user' }),
      summary: 'Read an e-invoice in',
      description:
        'Takes an e-invoice as XML (UBL 2.1, CII) or as a PDF with the XML inside (Factur-X, ZUGFeRD), uploaded or from a received e-mail of the caller, reads and checks it, and finds vendor and purchase order. Without problems it becomes a draft expense at once, unless a notice says that it is for somebody else, from the workspace itself, or for an order that isn’t open, comes to something else, isn’t certainly the seller’s or isn’t the caller’s to convert. What can’t be read, and a second one of the seller’s number, is a 422 on `file`, or on `email_attachment_id`.',
    },
    (steps, { files, body }) => receiveInvoice(steps, files.file, body),
  ),
  get(
    '/:id/file',
    {
      allow: 'incoming-invoices.view',
      description: 'Answers the file, byte for byte as it came.',
      file: ['application/xml', 'application/pdf'],
    },
    async (ctx, { id }) => {
      const row = await incoming.find(ctx, id)
      return { name: row.file_name, type: mimeOf(row), key: row.file_key }
    },
  ),
  get(
    '/:id/pdf',
    {
      allow: 'incoming-invoices.view',
      limit: limiter({ name: 'incoming-invoices-pdf', points: 30, seconds: 60, by: 'user' }),
      description: 'Answers a page that people read: the PDF as it came, or one that is drawn of the XML.',
      file: 'application/pdf',
    },
    async (ctx, { id }) => {
      const row = await incoming.find(ctx, id)
      if (row.format === 'pdf') return { name: row.file_name, type: 'application/pdf', key: row.file_key }
      const drawn = await readablePdf(ctx, row)
      return { name: `${row.number}.pdf`, type: 'application/pdf', content: () => renderPdf(ctx.services, ctx.tenant.id, drawn) }
    },
  ),
  get(
    '/:id/attachments',
    {
      allow: 'incoming-invoices.view',
      operation: 'listIncomingInvoiceAttachments',
      summary: 'List the files inside an incoming invoice',
      description: 'Answers the files that its XML holds (BG-24), then those that are attached to its PDF.',
      reply: z.array(IncomingAttachment),
    },
    (ctx, { id }) => attachmentsOf(ctx, id),
  ),
  multiTransaction.get(
    '/:id/attachments/:key',
    {
      allow: 'incoming-invoices.view',
      operation: 'downloadIncomingInvoiceAttachment',
      summary: 'Download a file inside an incoming invoice',
      description:
        'Answers a file of at most 20 MB by its `id` in the list. Its type is judged by its first bytes; one that isn’t known is answered as bytes.',
      limit: limiter({ name: 'incoming-invoices-attachments', points: 60, seconds: 60, by: 'user' }),
      file: ATTACHMENT_TYPES,
    },
    (steps, { id, key }) => downloadAttachment(steps, id, key),
  ),
  action(
    incoming,
    '/:id/expense',
    {
      allow,
      grants: false,
      guard: refuseBooking,
      message: 'Expense made.',
      operation: 'bookIncomingInvoice',
      summary: 'Make an expense of an incoming invoice',
      description:
        'Makes the draft expense of an invoice that waits, whatever problems it has. One that is for an order becomes the expense of the order, which asks for `purchase-orders.convert`.',
    },
    book,
  ),
  action(
    incoming,
    '/:id/reject',
    {
      allow,
      grants: false,
      guard: refuseRejection,
      body: RejectInvoice,
      message: 'Invoice rejected.',
      description: 'Refuses an invoice that waits, and says why. The seller may send another one of its number.',
    },
    (ctx, row, { reason }) => reject(ctx, row, reason),
  ),
  action(
    incoming,
    '/:id/close',
    {
      allow,
      grants: false,
      message: 'Invoice closed.',
      description: 'Says that an invoice which waits is dealt with, without an expense: a credit note that was set off.',
    },
    (ctx, row) => lifecycle.move(ctx, incoming, row, 'close'),
  ),
  action(
    incoming,
    '/:id/reopen',
    {
      allow,
      grants: false,
      guard: refuseReopening,
      message: 'Invoice reopened.',
      description: 'Lets an invoice wait again that was closed or rejected.',
    },
    reopen,
  ),
  del(
    '/:id/force',
    {
      allow: 'incoming-invoices.force.delete',
      grants: false,
      record: incoming.lockAny,
      message: 'Incoming invoice deleted for good.',
    },
    (ctx, { record }) => purge(ctx, record),
  ),
  ...activityRoutes(incoming),
]
