/** Purchase orders as a file: the list's rows, its filters and its scope. */
import type { z } from 'zod'
import type { WorkspaceSteps } from '#kernel/context.ts'
import type { Column } from '#kernel/export/columns.ts'
import { exportFile } from '#kernel/export/file.ts'
import { batches } from '#kernel/records/batches.ts'
import type { ExportFormat, ListQuery } from '#kernel/records/listing.ts'
import { view } from '#kernel/records/view.ts'
import { decimal, minorUnits } from '#kernel/values/money.ts'
import { orderList } from './orders.ts'
import { OrderItem } from './schema.ts'

const { latest_note: _, ...columnsOfItem } = OrderItem.shape
const ExportedOrder = view('purchase_orders', 'ExportedPurchaseOrder', columnsOfItem)
type Row = z.output<typeof ExportedOrder>

/** An amount with the decimals of the order's currency. */
const money = (key: 'subtotal' | 'tax_total' | 'total', title: string): Column<Row> => ({
  key,
  title,
  format: 'money',
  value: (row) => decimal(row[key]).toFixed(minorUnits(row.currency)),
})

const columns: Column<Row>[] = [
  { key: 'number', title: 'Number', format: 'text' },
  { key: 'title', title: 'Title', format: 'text' },
  { key: 'status', title: 'Status', format: 'text' },
  { key: 'vendor', title: 'Vendor', format: 'text', value: ({ vendor }) => vendor?.name },
  { key: 'currency', title: 'Currency', format: 'text' },
  money('subtotal', 'Subtotal'),
  money('tax_total', 'Tax'),
  money('total', 'Total'),
  { key: 'order_date', title: 'Order date', format: 'date' },
  { key: 'expected_date', title: 'Expected date', format: 'date' },
  { key: 'assignee', title: 'Assignee', format: 'text', value: ({ assignee }) => assignee?.name },
  { key: 'creator', title: 'Created by', format: 'text', value: ({ creator }) => creator?.name },
  { key: 'created_at', title: 'Created at', format: 'instant' },
]

export function exportOrders(steps: WorkspaceSteps, { format, ...query }: ListQuery & { format: ExportFormat }) {
  const rows = batches(orderList, query as ListQuery, steps.read, ExportedOrder)
  return exportFile(steps, { name: 'purchase-orders', format, columns, rows })
}
