/** Mailboxes whose user reads mail: their inboxes are watched for a while, by a process that works the queue. */

import { sql } from 'kysely'
import QuickLRU from 'quick-lru'
import { type Ctx, inPublic, originOf, type Services } from '#kernel/context.ts'
import { watchMailbox } from './jobs.ts'

declare module '#kernel/database/channel.ts' {
  interface Topics {
    /** Its settings are others now, or it was disconnected. */
    'email.unwatch': { tenant_id: number; account_id: number }
  }
}

/** How often a look at the same mailbox is written down by a process, in milliseconds. */
const TOLD_EVERY = 60_000
const MAX_TOLD = 10_000
const told = new WeakMap<Services['queue'], QuickLRU<string, true>>()

/** Behind the reading transaction, and nobody waits for it. */
export function markLooked(ctx: Ctx, accountId: number) {
  const { services, tenant } = ctx
  const lately = told.getOrInsertComputed(services.queue, () => new QuickLRU({ maxSize: MAX_TOLD, maxAge: TOLD_EVERY }))
  const key = `${tenant.id} ${accountId}`
  ctx.afterCommit(() => {
    if (lately.has(key)) return
    lately.set(key, true)
    mark(services, tenant.id, accountId).catch((error) => services.log.warn({ err: error }, 'a look at a mailbox was not noted'))
  })
}

const mark = (services: Services, tenantId: number, accountId: number) =>
  inPublic(originOf(services), 'write', async (ctx) => {
    const { rows } = await sql<{ is_watched: boolean }>`
      update email_accounts set looked_at = clock_timestamp()
      where tenant_id = ${tenantId} and id = ${accountId} and removed_at is null
      returning coalesce(watched_until > clock_timestamp(), false) as is_watched`.execute(ctx.tx)
    if (rows[0] && !rows[0].is_watched) await services.queue.send(ctx, watchMailbox, { account_id: accountId }, { tenantId })
  })

export const unwatch = (ctx: Ctx, account_id: number) =>
  ctx.afterCommit(() => ctx.services.channel.publish('email.unwatch', { tenant_id: ctx.tenant.id, account_id }))
