import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { kind } from '#kernel/modules/notifications.ts'

export default [
  kind('purchase_order.received', {
    subject: 'purchase_order',
    title: 'A purchase order of yours is received',
    news: async (ctx, { purchase_order_id }) => ({
      ...{ ids: [purchase_order_id], users: await assigneeAndWriter(ctx, purchase_order_id), title: 'Purchase order received' },
      body: (name) => `Purchase order ${name} was received.`,
    }),
  }),
  kind('purchase_order.cancelled', {
    subject: 'purchase_order',
    title: 'A purchase order of yours is cancelled',
    news: async (ctx, { purchase_order_id }) => ({
      ...{ ids: [purchase_order_id], users: await assigneeAndWriter(ctx, purchase_order_id), title: 'Purchase order cancelled' },
      body: (name) => `Purchase order ${name} was cancelled.`,
    }),
  }),
]

async function assigneeAndWriter(ctx: Ctx, id: number): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    select distinct user_id from purchase_orders, unnest(array[assigned_to, created_by]) as user_id
    where tenant_id = ${ctx.tenant.id} and id = ${id} and user_id is not null`.execute(ctx.tx)
  return rows.map(({ user_id }) => user_id)
}
