import { nullifyOnPurge } from '#kernel/records/on-purge.ts'

/** Clears the reference to a purged order; the expense stays. */
export default [nullifyOnPurge('expenses', { purchase_orders: 'purchase_order_id' })]
