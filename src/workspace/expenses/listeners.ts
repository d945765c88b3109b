import { letGoOf } from '#kernel/records/letting-go.ts'

/** An expense outlives the order that it was made of. */
export default [letGoOf('expenses', { purchase_orders: 'purchase_order_id' })]
