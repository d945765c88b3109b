/**
 * Creates deliveries from events: each active endpoint gets the events after its position that match its types and that its
 * creator may see.
 */
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

/** Maximum number of workspaces found by one poll. */
const MAX_WORKSPACES = 200

interface DispatcherOptions {
  meter?: UsageMeter
  /** While there is work, the next poll waits this many times the duration of the last one. */
  lookShare?: number
}

/**
 * Dispatches in fair order: each slice goes to the workspace with the least recent usage, so that a busy one doesn't delay the
 * others. A poll continues after the workspaces of the last one, and then starts again.
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

/** Returns the next open workspaces, by id, that have an active endpoint without all events, or activities without a position. */
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

/**
 * One query for each reason: on rows of several machines, an outer join with a subquery for each row crashes Citus' server
 * (13.2.2).
 */
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
