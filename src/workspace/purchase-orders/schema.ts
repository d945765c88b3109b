import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { nameRef, userRef } from '#kernel/records/embed.ts'
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
  vendor_id: ref('vendor'),
  title: text(255),
  notes: optionalText(),
  currency: currency().optional(),
  order_date: optionalDate(),
  expected_date: optionalDate(),
  assigned_to: assignee(),
  lines: linesOf(z.object({ description: text(65_535), ...lineInput })),
})
/** PO-21: what isn't sent stays; sent lines replace the whole set. */
export const UpdateOrder = changesOf(CreateOrder)
/** PO-31, PO-32. */
export const ReceiveOrder = z.object({
  status: z.enum(['partially_received', 'received'], 'Must be partially_received or received.'),
  warehouse_id: optionalRef('warehouse'),
})

/** PO-18. */
export const OrderItem = view('purchase_orders', 'PurchaseOrder', {
  id: z.int(),
  number: z.string(),
  title: z.string(),
  status: choice(lifecycle.states),
  vendor_id: z.int(),
  currency: formatted('currency'),
  order_date: date().nullable(),
  expected_date: date().nullable(),
  assigned_to: z.int().nullable(),
  subtotal: money(),
  tax_total: money(),
  total: money(),
  converted_expense_id: refId('expense').nullable(),
  vendor: nameRef('vendor_id', 'vendor'),
  assignee: userRef('assigned_to'),
  creator: userRef('created_by'),
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
