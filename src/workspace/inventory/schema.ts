import { sql } from 'kysely'
import { z } from 'zod'
import { actorRef, nameRef, recordRef } from '#kernel/records/embed.ts'
import { activities } from '#kernel/records/timeline.ts'
import { computed, extended, view } from '#kernel/records/view.ts'
import {
  changesOf,
  choice,
  exact,
  id,
  instant,
  level,
  optionalRef,
  optionalText,
  quantity,
  ref,
  referenceMeta,
  refId,
  stamps,
} from '#kernel/values/fields.ts'
import { lifecycle } from './lifecycle.ts'

/**
 * A product with stock tracking (`checkProducts`): including inactive ones, and for every user who works with stock, because they
 * see its name anyway.
 */
const productId = () => id().meta(referenceMeta('product', { picker: true }))

/** Input of a correction (INVT-03). */
export const AdjustStock = z.object({
  product_id: productId(),
  warehouse_id: optionalRef('warehouse', { picker: true }),
  type: choice(['in', 'out', 'adjust']).describe('Booked in, booked out, or set to what was counted.'),
  quantity: level(),
  notes: optionalText(),
})

const LineInput = z.object({ product_id: productId(), quantity: quantity() })
export type LineInput = z.output<typeof LineInput>

/** Input of a new transfer (INVT-07). */
export const CreateTransfer = z.object({
  from_warehouse_id: ref('warehouse', { picker: true }).meta({
    description: 'Id of the warehouse that the goods leave.',
    examples: [1],
  }),
  to_warehouse_id: ref('warehouse', { picker: true }).meta({
    description: 'Id of the warehouse that they go to; another one.',
    examples: [2],
  }),
  notes: optionalText(),
  lines: z.array(LineInput).min(1, 'Must have at least one line.').max(1000, 'Must be at most 1000 lines.'),
})
/** Fields that aren't sent stay unchanged; sent lines replace all lines. */
export const UpdateTransfer = changesOf(CreateTransfer)

const productShape = { id: z.int(), sku: z.string(), name: z.string() }

export const StockRow = view('stock_levels', 'StockRow', {
  id: z.int().describe('By what events name it.'),
  product: recordRef('product_id', 'product', productShape, { picker: true }),
  warehouse: nameRef('warehouse_id', 'warehouse', { picker: true }),
  on_hand: exact('quantity').meta({ description: 'What is there at this moment.', examples: [12] }),
  reorder_level: exact('quantity'),
  is_low: z.boolean().meta({ description: 'No more is on hand than the reorder level, which is above 0.' }),
  updated_at: instant(),
})

/** Figures about stock (INVT-18). */
export const StockStats = z
  .object({
    total_skus_with_stock: z.int().meta({ description: 'How many products there is any stock of.', examples: [40] }),
    low_stock_count: z.int().meta({ description: 'Rows of the list that are low.' }),
    total_on_hand: exact('quantity').meta({ description: 'Sum of all quantities on hand.', examples: [812] }),
  })
  .meta({ id: 'StockStats' })

const Reference = z
  .object({
    type: z.string().meta({ description: 'What moved the stock: a kind of document.', examples: ['purchase_order'] }),
    id: z.int(),
    number: z.string().nullable(),
  })
  .meta({ id: 'StockReference' })

export const StockMovement = view('stock_movements', 'StockMovement', {
  id: z.int(),
  type: choice(['in', 'out', 'adjust', 'transfer_out', 'transfer_in']).describe('Why stock changed.'),
  quantity: computed(
    exact('quantity').meta({
      description: 'The type says whether it came or went; of an adjustment the difference, negative where it took away.',
    }),
    ({ table }) =>
      sql`trim_scale(case ${sql.ref(`${table}.type`)} when 'adjust' then ${sql.ref(`${table}.change`)} else abs(${sql.ref(`${table}.change`)}) end)`,
    ['type', 'change'],
  ),
  balance_after: exact('quantity').meta({ description: 'What was there after the movement.', examples: [12] }),
  warehouse: nameRef('warehouse_id', 'warehouse', { picker: true }),
  product: recordRef('product_id', 'product', productShape, { picker: true }),
  reference: computed(
    Reference.nullable(),
    ({ table }) => sql`case when ${sql.ref(`${table}.reference_id`)} is not null then json_build_object(
      'type', ${sql.ref(`${table}.reference_type`)}, 'id', ${sql.ref(`${table}.reference_id`)},
      'number', ${sql.ref(`${table}.reference_number`)}) end`,
    ['reference_type', 'reference_id', 'reference_number'],
  ),
  notes: z.string().nullable(),
  actor: actorRef('actor_id'),
  created_at: instant(),
})

const Line = z
  .object({
    id: z.int(),
    product_id: refId('product'),
    product: z.object(productShape).describe('Which product it is: its number and name, inactive and deleted ones too.'),
    quantity: exact('quantity'),
  })
  .meta({ id: 'StockTransferLine' })

const lines = computed(
  z.array(Line),
  ({ ctx, table }) => sql`(
    select json_agg(json_build_object('id', l.id, 'product_id', l.product_id,
      'product', json_build_object('id', p.id, 'sku', p.sku, 'name', p.name), 'quantity', trim_scale(l.quantity)) order by l.id)
    from stock_transfer_lines l join products p on p.tenant_id = ${ctx.tenant.id} and p.id = l.product_id
    where l.tenant_id = ${ctx.tenant.id} and l.transfer_id = ${sql.ref(`${table}.id`)})`,
)

export const Transfer = view('stock_transfers', 'StockTransfer', {
  id: z.int(),
  number: z.string(),
  status: choice(lifecycle.states),
  from_warehouse_id: z.int(),
  from_warehouse: nameRef('from_warehouse_id', 'warehouse', { picker: true }),
  to_warehouse_id: z.int(),
  to_warehouse: nameRef('to_warehouse_id', 'warehouse', { picker: true }),
  creator: actorRef('created_by'),
  ...stamps,
})

export const TransferDetail = extended(Transfer, 'StockTransferDetail', {
  notes: z.string().nullable(),
  lines,
  activities: activities(),
})
