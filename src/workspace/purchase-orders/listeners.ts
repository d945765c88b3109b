import { letGoOf } from '#kernel/records/letting-go.ts'

/** An order outlives the expense that it became. */
export default [letGoOf('purchase_orders', { expenses: 'converted_expense_id' })]
