import { defineWidget } from '#kernel/modules/widget.ts'
import { listOrders, orderList } from './queries.ts'

const ROWS = 5

/** What was ordered and hasn't wholly come yet, the latest first. */
const awaited = (status: 'sent' | 'partially_received', title: string) =>
  defineWidget({
    key: `${status}_purchase_orders`,
    title,
    allow: 'purchase-orders.view',
    async data(ctx) {
      const { rows, total } = await listOrders(ctx, orderList.query.parse({ status, per_page: String(ROWS) }))
      return {
        total_count: total,
        rows: rows.map(({ id, number, title, status, expected_date, vendor, currency, total }) => ({
          id,
          number,
          title,
          status,
          expected_date,
          vendor,
          currency,
          total,
        })),
      }
    },
  })

export default [awaited('sent', 'Purchase orders on their way'), awaited('partially_received', 'Purchase orders partly received')]
