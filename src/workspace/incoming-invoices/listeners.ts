import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** What came in outlives whom it was matched to and what it became. */
export default [
  nullifyOnPurge('incoming_invoices', { vendors: 'vendor_id', purchase_orders: 'purchase_order_id', expenses: 'expense_id' }),
  nullifyOnPurge('incoming_invoices', { incoming_invoices: 'final_invoice_id' }),
]
