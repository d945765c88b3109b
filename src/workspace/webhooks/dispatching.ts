/** From events to deliveries: each active endpoint gets those behind its position that it asked for and its creator may see. */
import { sql } from 'kysely'
import { type Ctx, inWorkspace, originOf, type Services } from '#kernel/context.ts'
import type { Tx } from '#kernel/database/connect.ts'
import { eventsKept } from '#kernel/http/feed.ts'
import { sessionFor } from '#kernel/jobs/entering.ts'
import { isOpen } from '#kernel/tenancy/session.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { takeEvents } from '#kernel/webhooks/deliveries.ts'
import { switchOff } from '#kernel/webhooks/switching-off.ts'
import { feed } from './feed.ts'

/** Workspaces that are asked after in one turn. */
const MAX_WORKSPACES = 200

/** One turn over all workspaces with active endpoints. Answers whether there may be more to do at once. */
export async function dispatchEvents(services: Services): Promise<boolean> {
  const workspaces = await workspacesBehind(services)
  let more = workspaces.length === MAX_WORKSPACES
  for (const tenantId of workspaces) if (await dispatchIn(services, tenantId)) more = true
  return more
}

/** Open workspaces of which an active endpoint hasn't all events, or where activities wait for their place. */
const workspacesBehind = (services: Services): Promise<number[]> =>
  services.database.platform('read', async (tx) => {
    const oldest = plusSeconds(services.clock.now(), -eventsKept(services))
    if (services.database.isCluster) return behindOnCluster(tx, oldest)
    const { rows } = await sql<{ id: number }>`
      select distinct e.tenant_id as id from webhook_endpoints e
      join tenants t on t.id = e.tenant_id and ${isOpen('t')}
      left join event_feeds f on f.tenant_id = e.tenant_id
      where e.is_active and (e.position < coalesce(f.last, 0) or exists (
        select from activities a where a.tenant_id = e.tenant_id and a.position is null and a.created_at > ${oldest}))
      limit ${MAX_WORKSPACES}`.execute(tx)
    return rows.map(({ id }) => id)
  })

/** A query for each of the two reasons: of several machines' rows, an outer join with a query about each of them ends Citus' server (13.2.2). */
async function behindOnCluster(tx: Tx, oldest: string): Promise<number[]> {
  const told = await sql<{ id: number }>`
    select distinct e.tenant_id as id from webhook_endpoints e join tenants t on t.id = e.tenant_id and ${isOpen('t')}
    join event_feeds f on f.tenant_id = e.tenant_id
    where e.is_active and e.position < f.last limit ${MAX_WORKSPACES}`.execute(tx)
  const unplaced = await sql<{ id: number }>`
    select distinct e.tenant_id as id from webhook_endpoints e join tenants t on t.id = e.tenant_id and ${isOpen('t')}
    join activities a on a.tenant_id = e.tenant_id
    where e.is_active and a.position is null and a.created_at > ${oldest} limit ${MAX_WORKSPACES}`.execute(tx)
  return [...new Set([...told.rows, ...unplaced.rows].map(({ id }) => id))].slice(0, MAX_WORKSPACES)
}

async function dispatchIn(services: Services, tenantId: number): Promise<boolean> {
  const system = await sessionFor(services, { tenant_id: tenantId }, undefined)
  if ('ended' in system) return false // closed for now: events wait
  const asSystem = <T>(mode: 'read' | 'write', work: (ctx: Ctx) => Promise<T>) =>
    inWorkspace(originOf(services), system, mode, work)
  const active = await asSystem('read', (ctx) =>
    ctx
      .from('webhook_endpoints')
      .select(['id', 'tenant_id', 'user_id', 'key_id'])
      .where('is_active', '=', true)
      .orderBy('id')
      .execute(),
  )
  let more = false
  for (const endpoint of active) {
    const { id } = endpoint
    const maker = await feed.maker(services, endpoint)
    if ('ended' in maker) await asSystem('write', (ctx) => switchOff(ctx, id, `Nobody is told by it any more: ${maker.ended}`))
    else if (await asSystem('write', (ctx) => takeEvents(feed, maker(ctx), id))) more = true
  }
  return more
}
