/** Purchase orders as a file: the list's rows, its filters and its scope. */
import type { Ctx } from '#kernel/context.ts'
import type { Column } from '#kernel/export/columns.ts'
import { exportFile } from '#kernel/export/file.ts'
import { batches } from '#kernel/records/batches.ts'
import type { ListQuery } from '#kernel/records/listing.ts'
import { decimal, minorUnits } from '#kernel/values/money.ts'
import { orderList } from './queries.ts'

const selectOrders = (ctx: Ctx) =>
  ctx.tx
    .selectFrom('purchase_orders')
    .leftJoin('vendors as v', (on) => on.onRef('v.tenant_id', '=', 'purchase_orders.tenant_id').onRef('v.id', '=', 'vendor_id'))
    .leftJoin('users as a', (on) => on.onRef('a.tenant_id', '=', 'purchase_orders.tenant_id').onRef('a.id', '=', 'assigned_to'))
    .leftJoin('users as c', (on) =>
      on.onRef('c.tenant_id', '=', 'purchase_orders.tenant_id').onRef('c.id', '=', 'purchase_orders.created_by'),
    )
    .select(['number', 'title', 'purchase_orders.status', 'purchase_orders.currency', 'subtotal', 'tax_total', 'total'])
    .select(['order_date', 'expected_date', 'purchase_orders.created_at'])
    .select(['v.name as vendor', 'a.name as assignee', 'c.name as creator'])

type Selected = Awaited<ReturnType<ReturnType<typeof selectOrders>['executeTakeFirstOrThrow']>>

/** An amount with the decimals of the order's currency. */
const money = (key: 'subtotal' | 'tax_total' | 'total', title: string): Column<Selected> => ({
  key,
  title,
  format: 'money',
  value: (row) => decimal(row[key]).toFixed(minorUnits(row.currency)),
})

const columns: Column<Selected>[] = [
  { key: 'number', title: 'Number', format: 'text' },
  { key: 'title', title: 'Title', format: 'text' },
  { key: 'status', title: 'Status', format: 'text' },
  { key: 'vendor', title: 'Vendor', format: 'text' },
  { key: 'currency', title: 'Currency', format: 'text' },
  money('subtotal', 'Subtotal'),
  money('tax_total', 'Tax'),
  money('total', 'Total'),
  { key: 'order_date', title: 'Order date', format: 'date' },
  { key: 'expected_date', title: 'Expected date', format: 'date' },
  { key: 'assignee', title: 'Assignee', format: 'text' },
  { key: 'creator', title: 'Created by', format: 'text' },
  { key: 'created_at', title: 'Created at', format: 'instant' },
]

export function exportOrders(ctx: Ctx, { format, ...query }: ListQuery & { format: 'csv' | 'xlsx' }) {
  const rows = batches(orderList, query as ListQuery, (work) => ctx.apart('read', work), selectOrders)
  return exportFile(ctx, { name: 'purchase-orders', format, columns, rows })
}
