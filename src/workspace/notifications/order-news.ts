/** Purchase orders that were received or cancelled, for whoever they are given to and whoever wrote them. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { notifyAboutRecord, type RecordNews } from './news.ts'

export async function notifyAboutOrder(ctx: Ctx, id: number, told: Pick<RecordNews, 'type' | 'title' | 'body'>) {
  const { rows } = await sql<{ user_id: number }>`
    select distinct user_id from purchase_orders, unnest(array[assigned_to, created_by]) as user_id
    where tenant_id = ${ctx.tenant.id} and id = ${id} and user_id is not null`.execute(ctx.tx)
  const users = rows.map(({ user_id }) => user_id)
  await notifyAboutRecord(ctx, users, { ...told, entity: 'purchase_order', id })
}
