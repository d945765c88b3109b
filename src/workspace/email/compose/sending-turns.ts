/**
 * One message of a workspace is handed over at a time in each of two lanes, so that a slow server holds up the mail of its own workspace alone; and messages of accounts whose
 * server was slow or failed the last time go in a lane of their own, so that it holds up that of its own kind alone. Who finds the lane taken waits in the
 * message's row, and the one that ends goes on with whoever has waited for longest.
 */
import { sql } from 'kysely'
import type { BaseCtx, Ctx } from '#kernel/context.ts'
import type { Row } from '#kernel/records/resource.ts'
import type { MessageRow } from '../messages/messages.ts'

export type Lane = 'fast' | 'slow'

export interface Taken {
  message: MessageRow
  account: Row<'email_accounts'>
}

const MAX_FORGOTTEN = 500

/** Whoever finds the lane taken is noted before its turn ends, or takes it after: nobody waits unnoticed. */
const lockTurns = (ctx: Ctx) =>
  sql`select pg_advisory_xact_lock(hashtextextended('sending of messages', ${ctx.tenant.id}))`.execute(ctx.tx)

/** A message that is to be sent, and that `endSending` ends; the other lane where it belongs there; `busy` where there is nothing to do now. */
export async function takeSending(ctx: Ctx, messageId: number, lane: Lane): Promise<Taken | Lane | 'busy'> {
  await lockTurns(ctx)
  const message = await messageIn(ctx, messageId)
  const account = await accountsIn(ctx)
    .selectAll()
    .where('id', '=', message?.account_id ?? 0)
    .executeTakeFirst()
  if (!message || !account || !['queued', 'sending'].includes(message.status)) return 'busy'
  if (account.send_slow !== (lane === 'slow')) return lane === 'slow' ? 'fast' : 'slow'
  const holder = await accountsIn(ctx)
    .select('id')
    .where('send_slow', '=', account.send_slow)
    .where('send_leased_until', '>', sql<string>`clock_timestamp()`)
    .executeTakeFirst()
  await ctx.tx
    .updateTable('email_messages')
    .set({ send_waits_since: holder ? sql<string>`coalesce(send_waits_since, clock_timestamp())` : null })
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', message.id)
    .execute()
  if (holder) return 'busy'
  await renewSending(ctx, account)
  return { message, account }
}

/** For a minute. */
export const renewSending = (ctx: Ctx, { id }: Row<'email_accounts'>) =>
  updateAccount(ctx, id, { send_leased_until: sql<string>`clock_timestamp() + interval '60 seconds'` })

/** Gives the lane back. The message that has waited for it for longest. */
export async function endSending(
  ctx: Ctx,
  { id, send_slow: was }: Row<'email_accounts'>,
  send_slow: boolean,
): Promise<number | undefined> {
  await lockTurns(ctx)
  await updateAccount(ctx, id, { send_slow, send_leased_until: null })
  const { rows } = await sql<{ id: number }>`
    select m.id from email_messages m join email_accounts a on a.tenant_id = m.tenant_id and a.id = m.account_id
    where m.tenant_id = ${ctx.tenant.id} and m.send_waits_since is not null and (a.send_slow = ${was} or a.id = ${id})
    order by m.send_waits_since limit 1`.execute(ctx.tx)
  return rows[0]?.id
}

/** One that waits for each lane that nobody has, of all workspaces. */
export async function forgottenMessages(ctx: BaseCtx): Promise<{ tenant_id: number; id: number; lane: Lane }[]> {
  const { rows } = await sql<{ tenant_id: number; id: number; lane: Lane }>`
    select distinct on (m.tenant_id, a.send_slow) m.tenant_id, m.id, case when a.send_slow then 'slow' else 'fast' end as lane
    from email_messages m join email_accounts a on a.tenant_id = m.tenant_id and a.id = m.account_id
    where m.send_waits_since is not null and a.removed_at is null and not exists (
      select from email_accounts o where o.tenant_id = a.tenant_id and o.send_slow = a.send_slow and o.send_leased_until > clock_timestamp())
    order by m.tenant_id, a.send_slow, m.send_waits_since limit ${MAX_FORGOTTEN}`.execute(ctx.tx)
  return rows
}

const messageIn = (ctx: Ctx, id: number) =>
  ctx.tx.selectFrom('email_messages').selectAll().where('tenant_id', '=', ctx.tenant.id).where('id', '=', id).executeTakeFirst()

const accountsIn = (ctx: Ctx) =>
  ctx.tx.selectFrom('email_accounts').where('tenant_id', '=', ctx.tenant.id).where('removed_at', 'is', null)

const updateAccount = (ctx: Ctx, id: number, changes: object) =>
  ctx.tx.updateTable('email_accounts').set(changes).where('tenant_id', '=', ctx.tenant.id).where('id', '=', id).execute()
