/** From events to deliveries: each active endpoint gets those behind its position that it asked for and its creator may see. */
import { sql } from 'kysely'
import type { Services } from '#kernel/context.ts'
import type { Tx } from '#kernel/database/connect.ts'
import { eventsKept } from '#kernel/http/feed.ts'
import { isOpen } from '#kernel/tenancy/session.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { dispatchTo } from '#kernel/webhooks/dispatching.ts'
import type { Dispatch } from '#kernel/webhooks/runner.ts'
import { systemTransactions } from '#kernel/webhooks/side.ts'
import { feed } from './feed.ts'

/** Workspaces that are asked after in one turn. */
const MAX_WORKSPACES = 200

/**
 * Goes round the workspaces with active endpoints, some in each turn: those behind the last turn's, and from the first one again. So workspaces
 * that can't be told at the moment keep none from its turn.
 */
export function eventDispatcher(): Dispatch {
  let last = 0
  return async (services) => {
    const workspaces = await workspacesBehind(services, last)
    const isFull = workspaces.length === MAX_WORKSPACES
    last = isFull ? workspaces.at(-1)! : 0
    let more = isFull
    for (const tenantId of workspaces) if (await dispatchIn(services, tenantId)) more = true
    return more
  }
}

/** The next open workspaces, by id, of which an active endpoint hasn't all events, or where activities wait for their place. */
const workspacesBehind = (services: Services, after: number): Promise<number[]> =>
  services.database.platform('read', async (tx) => {
    const oldest = plusSeconds(services.clock.now(), -eventsKept(services))
    if (services.database.isCluster) return behindOnCluster(tx, oldest, after)
    const { rows } = await sql<{ id: number }>`
      select distinct e.tenant_id as id from webhook_endpoints e
      join tenants t on t.id = e.tenant_id and ${isOpen('t')}
      left join event_feeds f on f.tenant_id = e.tenant_id
      where e.is_active and e.tenant_id > ${after} and (e.position < coalesce(f.last, 0) or exists (
        select from activities a where a.tenant_id = e.tenant_id and a.position is null and a.created_at > ${oldest}))
      order by 1 limit ${MAX_WORKSPACES}`.execute(tx)
    return rows.map(({ id }) => id)
  })

/** A query for each of the two reasons: of several machines' rows, an outer join with a query about each of them ends Citus' server (13.2.2). */
async function behindOnCluster(tx: Tx, oldest: string, after: number): Promise<number[]> {
  const told = await sql<{ id: number }>`
    select distinct e.tenant_id as id from webhook_endpoints e join tenants t on t.id = e.tenant_id and ${isOpen('t')}
    join event_feeds f on f.tenant_id = e.tenant_id
    where e.is_active and e.tenant_id > ${after} and e.position < f.last order by 1 limit ${MAX_WORKSPACES}`.execute(tx)
  const unplaced = await sql<{ id: number }>`
    select distinct e.tenant_id as id from webhook_endpoints e join tenants t on t.id = e.tenant_id and ${isOpen('t')}
    join activities a on a.tenant_id = e.tenant_id
    where e.is_active and e.tenant_id > ${after} and a.position is null and a.created_at > ${oldest} order by 1 limit ${MAX_WORKSPACES}`.execute(
    tx,
  )
  const ids = new Set([...told.rows, ...unplaced.rows].map(({ id }) => id))
  return [...ids].sort((a, b) => a - b).slice(0, MAX_WORKSPACES)
}

async function dispatchIn(services: Services, tenantId: number): Promise<boolean> {
  try {
    const transact = await systemTransactions(services, tenantId)
    if (!transact) return false // closed for now: events wait
    const active = await transact('read', (ctx) =>
      ctx
        .from('webhook_endpoints')
        .select(['id', 'tenant_id', 'user_id', 'key_id'])
        .where('is_active', '=', true)
        .orderBy('id')
        .execute(),
    )
    return await dispatchTo(services, feed, transact, active)
  } catch (error) {
    services.log.warn({ err: error, tenant_id: tenantId }, 'the webhooks of a workspace can not be told of events at the moment')
    return false
  }
}
