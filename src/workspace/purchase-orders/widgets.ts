import { listWidget } from '#kernel/records/widget.ts'
import { orderList } from './orders.ts'

/** Orders that aren't completely received yet, latest first. */
const awaited = (status: 'sent' | 'partially_received', title: string) =>
  listWidget({
    key: `${status}_purchase_orders`,
    title,
    allow: 'purchase-orders.view',
    list: orderList,
    filters: { status },
    shows: ['id', 'number', 'title', 'status', 'expected_date', 'vendor', 'currency', 'total'],
  })

export default [awaited('sent', 'Purchase orders on their way'), awaited('partially_received', 'Purchase orders partly received')]
