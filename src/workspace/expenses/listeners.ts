import { nullifyOnPurge } from '#kernel/records/letting-go.ts'

/** An expense outlives the order that it was made of. */
export default [nullifyOnPurge('expenses', { purchase_orders: 'purchase_order_id' })]
