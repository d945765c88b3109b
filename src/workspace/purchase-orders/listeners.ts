import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** An order remains when its expense is purged. */
export default [nullifyOnPurge('purchase_orders', { expenses: 'converted_expense_id' })]
