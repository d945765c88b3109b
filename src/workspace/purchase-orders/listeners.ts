import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** An order outlives the expense that it became. */
export default [nullifyOnPurge('purchase_orders', { expenses: 'converted_expense_id' })]
