import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** An expense outlives the order that it was made of. */
export default [nullifyOnPurge('expenses', { purchase_orders: 'purchase_order_id' })]
