import { sql } from 'kysely'
import { z } from 'zod'
import { assignee } from '#kernel/records/assignment.ts'
import { nameRef, userRef } from '#kernel/records/embed.ts'
import { latestNote, newestNotes } from '#kernel/records/notes.ts'
import { activities } from '#kernel/records/timeline.ts'
import { computed, extended, view } from '#kernel/records/view.ts'
import {
  changesOf,
  choice,
  currency,
  date,
  exact,
  formatted,
  money,
  optionalDate,
  optionalRef,
  optionalText,
  percentage,
  quantity,
  ref,
  refId,
  stamps,
  text,
  unitPrice,
} from '#kernel/values/fields.ts'
import { lifecycle } from './lifecycle.ts'

const LineInput = z.object({
  description: text(65_535),
  quantity: quantity(),
  unit_price: unitPrice(),
  tax_rate: percentage().default('0'),
  sort_order: z.int().min(0).max(1_000_000).optional(),
  product_id: optionalRef('product'),
})
export type LineInput = z.output<typeof LineInput>

/** PO-17. */
export const CreateOrder = z.object({
  vendor_id: ref('vendor'),
  title: text(255),
  notes: optionalText(),
  currency: currency().optional(),
  order_date: optionalDate(),
  expected_date: optionalDate(),
  assigned_to: assignee(),
  lines: z.array(LineInput).max(1000, 'Must be at most 1000 lines.').default([]),
})
/** PO-21: what isn't sent stays; sent lines replace the whole set. */
export const UpdateOrder = changesOf(CreateOrder)
/** PO-31, PO-32. */
export const ReceiveOrder = z.object({
  status: z.enum(['partially_received', 'received'], 'Must be partially_received or received.'),
  warehouse_id: optionalRef('warehouse'),
})

const Line = z
  .object({
    id: z.int(),
    description: z.string(),
    quantity: exact('quantity'),
    unit_price: money(),
    tax_rate: exact('percentage'),
    sort_order: z.int(),
    product_id: refId('product').nullable(),
    product: z.object({ id: z.int(), sku: z.string(), name: z.string() }).nullable(),
    line_total: money().meta({ description: 'Before tax.' }),
    tax_amount: money(),
  })
  .meta({ id: 'PurchaseOrderLine' })

const lines = computed(
  z.array(Line),
  ({ ctx, table }) => sql`(
    select coalesce(json_agg(json_build_object('id', l.id, 'description', l.description, 'quantity', trim_scale(l.quantity),
      'unit_price', trim_scale(l.unit_price), 'tax_rate', trim_scale(l.tax_rate), 'sort_order', l.sort_order, 'product_id', l.product_id,
      'product', case when p.id is not null then json_build_object('id', p.id, 'sku', p.sku, 'name', p.name) end,
      'line_total', trim_scale(l.net), 'tax_amount', trim_scale(l.tax)) order by l.sort_order, l.id), '[]')
    from purchase_order_lines l left join products p on p.tenant_id = ${ctx.tenant.id} and p.id = l.product_id
    where l.tenant_id = ${ctx.tenant.id} and l.purchase_order_id = ${sql.ref(`${table}.id`)})`,
)

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
  lines,
  note_entries: newestNotes(),
  activities: activities(),
})
