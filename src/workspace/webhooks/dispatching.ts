/** From events to deliveries: each active endpoint gets those behind its position that it asked for and its creator may see. */
import { sql } from 'kysely'
import type { Services } from '#kernel/context.ts'
import type { Tx } from '#kernel/database/connect.ts'
import { type UsageMeter, usageMeter } from '#kernel/fair-share.ts'
import { eventsKept } from '#kernel/http/feed.ts'
import { isOpen } from '#kernel/tenancy/session.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { dispatchSlice } from '#kernel/webhooks/dispatching.ts'
import type { Dispatch } from '#kernel/webhooks/runner.ts'
import { systemTransactions } from '#kernel/webhooks/side.ts'
import { feed } from './feed.ts'

/** Workspaces that are found by one look. */
const MAX_WORKSPACES = 200

interface DispatcherOptions {
  meter?: UsageMeter
  /** While there is work, the next look comes after so many times as long as the last one took. */
  lookShare?: number
}

/**
 * Dispatches by turns: each is a slice of the workspace that used least time lately, so that one with much to tell holds up none that has little. A
 * look finds those behind the last look's, and from the first one again.
 */
export function eventDispatcher({ meter = usageMeter(), lookShare = 4 }: DispatcherOptions = {}): Dispatch {
  const waiting = new Set<number>()
  let last = 0
  let nextLook = 0

  async function look(services: Services) {
    const began = performance.now()
    const found = await workspacesBehind(services, last)
    last = found.length === MAX_WORKSPACES ? found.at(-1)! : 0
    for (const id of found) waiting.add(id)
    nextLook = performance.now() + lookShare * (performance.now() - began)
  }

  return async (services) => {
    if (!waiting.size || performance.now() >= nextLook) await look(services)
    const tenantId = meter.leastUsed(waiting)
    if (tenantId === undefined) return last > 0
    const began = performance.now()
    const more = await dispatchIn(services, tenantId)
    meter.charge(tenantId, performance.now() - began)
    if (!more) waiting.delete(tenantId)
    return waiting.size > 0 || last > 0
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
    return await dispatchSlice(services, feed, transact)
  } catch (error) {
    services.log.warn({ err: error, tenant_id: tenantId }, 'the webhooks of a workspace can not be told of events at the moment')
    return false
  }
}
