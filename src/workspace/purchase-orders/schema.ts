import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { actorRef, nameRef, userRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { extended, view } from '#kernel/records/view.ts'
import {
  changesOf,
  choice,
  currency,
  date,
  formatted,
  money,
  optionalDate,
  optionalRef,
  optionalText,
  ref,
  refId,
  stamps,
  text,
} from '#kernel/values/fields.ts'
import { type LineTable, lineInput, linesField, linesOf, taxBreakdown } from '#workspace/billing-documents/public.ts'
import { issuedDocument } from '#workspace/issued-documents/public.ts'
import { lifecycle } from './lifecycle.ts'

export const orderLines: LineTable = { table: 'purchase_order_lines', by: 'purchase_order_id', columns: ['description'] }

/** PO-17. */
export const CreateOrder = z.object({
  vendor_id: ref('vendor', { picker: true }).meta({ description: 'Id of the vendor that it goes to.', examples: [1] }),
  title: text(255),
  notes: optionalText(),
  currency: currency().optional(),
  order_date: optionalDate(),
  expected_date: optionalDate(),
  assigned_to: assignee(),
  lines: linesOf(z.object({ description: text(65_535), ...lineInput })),
})
/** PO-21: omitted fields stay unchanged; sent lines replace the whole set. */
export const UpdateOrder = changesOf(CreateOrder)
/** PO-31, PO-32. */
export const ReceiveOrder = z.object({
  status: z
    .enum(['partially_received', 'received'], 'Must be partially_received or received.')
    .describe('Whether all came, or only a part.'),
  warehouse_id: optionalRef('warehouse', { picker: true }).meta({
    description: 'Id of the warehouse that the goods go to. Unless sent: the default one.',
    examples: [1],
  }),
})

/** PO-18. */
export const OrderItem = view('purchase_orders', 'PurchaseOrder', {
  id: z.int(),
  number: z.string(),
  title: z.string(),
  status: choice(lifecycle.states),
  vendor_id: z.int(),
  currency: formatted('currency'),
  order_date: date().nullable().describe('Day of the order. Set to today when the order is sent without one.'),
  expected_date: date().nullable().describe('Day on which the goods are expected.'),
  assigned_to: z.int().nullable(),
  subtotal: money(),
  tax_total: money(),
  total: money(),
  converted_expense_id: refId('expense')
    .nullable()
    .meta({ description: 'Id of the expense that was made of it; null: none yet.', examples: [12] }),
  vendor: nameRef('vendor_id', 'vendor', { picker: true }),
  assignee: userRef('assigned_to'),
  creator: actorRef('created_by'),
  latest_note: latestNote(),
  ...stamps,
})

/** PO-16. `notes` is the order's own text; its notes are `note_entries`. */
export const OrderDetail = extended(OrderItem, 'PurchaseOrderDetail', {
  notes: z.string().nullable(),
  lines: linesField(orderLines, 'PurchaseOrderLine', { description: z.string() }),
  tax_breakdown: taxBreakdown(orderLines),
  issued_document: issuedDocument(),
  note_entries: newestNotes(),
  activities: activities(),
})
