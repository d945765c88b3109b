import { z } from 'zod'
import { NameRef, UserRef } from '#kernel/records/embed.ts'
import { Note } from '#kernel/records/notes.ts'
import { Activity } from '#kernel/records/timeline.ts'
import {
  currency,
  id,
  instant,
  optionalDate,
  optionalId,
  optionalText,
  percentage,
  quantity,
  text,
  unitPrice,
} from '#kernel/values/fields.ts'
import { STATUSES } from './lifecycle.ts'

const LineInput = z.object({
  description: text(65_535),
  quantity: quantity(),
  unit_price: unitPrice(),
  tax_rate: percentage().default('0'),
  sort_order: z.int().min(0).max(1_000_000).optional(),
  product_id: optionalId(),
})
export type LineInput = z.output<typeof LineInput>

const fields = {
  vendor_id: id(),
  title: text(255),
  notes: optionalText(),
  currency: currency(),
  order_date: optionalDate(),
  expected_date: optionalDate(),
  assigned_to: optionalId(),
  lines: z.array(LineInput).max(1000, 'Must be at most 1000 lines.'),
}

/** PO-17. */
export const CreateOrder = z.object({ ...fields, currency: fields.currency.optional(), lines: fields.lines.default([]) })
/** PO-21: what isn't sent stays; sent lines replace the whole set. */
export const UpdateOrder = z.object(fields).partial()
/** PO-31, PO-32. */
export const ReceiveOrder = z.object({
  status: z.enum(['partially_received', 'received'], 'Must be partially_received or received.'),
  warehouse_id: optionalId(),
})
/** PO-33. */
export const MoveOrder = z.object({ status: z.enum(STATUSES, `Must be one of ${STATUSES.join(', ')}.`) })

const Line = z
  .object({
    id: z.int(),
    description: z.string(),
    quantity: z.number(),
    unit_price: z.number(),
    tax_rate: z.number(),
    sort_order: z.int(),
    product_id: z.int().nullable(),
    product: z.object({ id: z.int(), sku: z.string(), name: z.string() }).nullable(),
    line_total: z.number().meta({ description: 'Before tax.' }),
    tax_amount: z.number(),
  })
  .meta({ id: 'PurchaseOrderLine' })

/** PO-18. */
export const OrderItem = z
  .object({
    id: z.int(),
    number: z.string(),
    title: z.string(),
    status: z.enum(STATUSES),
    vendor_id: z.int(),
    currency: z.string(),
    order_date: z.string().nullable(),
    expected_date: z.string().nullable(),
    assigned_to: z.int().nullable(),
    subtotal: z.number(),
    tax_total: z.number(),
    total: z.number(),
    converted_expense_id: z.int().nullable(),
    vendor: NameRef.nullable(),
    assignee: UserRef.nullable(),
    creator: UserRef.nullable(),
    latest_note: Note.nullable(),
    created_at: instant(),
    updated_at: instant(),
    deleted_at: instant().nullable(),
  })
  .meta({ id: 'PurchaseOrder' })

/** PO-16. `notes` is the order's own text; its notes are `note_entries`. */
export const OrderDetail = OrderItem.extend({
  notes: z.string().nullable(),
  lines: z.array(Line),
  note_entries: z.array(Note),
  activities: z.array(Activity),
}).meta({ id: 'PurchaseOrderDetail' })

/** PO-20. */
export const OrderStats = z.object({
  total_purchase_orders: z.int(),
  my_purchase_orders: z.int(),
  draft: z.int(),
  sent: z.int(),
  partially_received: z.int(),
  received: z.int(),
  cancelled: z.int(),
  scope: z.enum(['org', 'mine']),
})
