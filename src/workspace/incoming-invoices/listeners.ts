import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Clears an invoice's references to purged records; the invoice stays. */
export default [
  nullifyOnPurge('incoming_invoices', { vendors: 'vendor_id', purchase_orders: 'purchase_order_id', expenses: 'expense_id' }),
  nullifyOnPurge('incoming_invoices', { incoming_invoices: 'final_invoice_id' }),
]
