/**
 * From events to deliveries, group by group of endpoints: one that can't be told holds up none of the others, and is tried ever more seldom. A
 * workspace's work is done in slices, so that schedulers can give the next one to whoever used least time lately.
 */
import { sql } from 'kysely'
import type { Ctx, Services } from '../context.ts'
import { failureOf, isRetryable } from '../database/failures.ts'
import { plusSeconds } from '../values/time.ts'
import { takeEvents } from './deliveries.ts'
import type { EndpointMaker, Feed, Transact } from './side.ts'
import { switchOff } from './switching-off.ts'

/** How long an endpoint that can't be told is left alone: at first, and at most. In seconds. */
const PAUSE = 5
const LONGEST_PAUSE = 60
/** Endpoints that are left alone; where there are more, all are tried again. */
const MAX_PAUSED = 10_000

/** Milliseconds after which a slice ends, with the batch at hand. */
const SLICE = 200
/** Deliveries that a batch makes at most, and events that it reads. */
const MAX_BATCH_DELIVERIES = 2000
const MAX_BATCH_EVENTS = 200
/**
 * Deliveries that wait, of all endpoints of a workspace together: each endpoint has its part. Events beyond that stay events, after the endpoint's
 * position, until there is room.
 */
export const MAX_WAITING = 20_000

interface Pause {
  seconds: number
  until: string
}

interface Memory {
  /** Endpoints that could not be told the last time, as this process knows them. */
  pauses: Map<string, Pause>
  /** Events that a batch of a workspace reads: fewer where the last one took longer than a slice. */
  batchEvents: Map<number, number>
}

const memories = new WeakMap<Services, Memory>()

interface Waiting extends EndpointMaker {
  id: number
  types: string[]
  position: number
  /** Deliveries that it may get until its part is full. */
  room: number
}

/** Active endpoints of a workspace with the room that each has, the one that is furthest back first. */
async function endpointsOf(ctx: Ctx): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    with part as (
      select greatest(1, ${sql.lit(MAX_WAITING)} / greatest(1, count(*)))::int as size from webhook_endpoints where tenant_id = ${ctx.tenant.id}
    )
    select e.tenant_id, e.id, e.user_id, e.key_id, e.types, e.position, part.size - (
      select count(*)::int from (
        select from webhook_deliveries d
        where d.tenant_id = ${ctx.tenant.id} and d.endpoint_id = e.id and d.status = 'waiting' limit part.size
      ) waiting
    ) as room
    from webhook_endpoints e cross join part
    where e.tenant_id = ${ctx.tenant.id} and e.is_active order by e.position, e.id`.execute(ctx.tx)
  return rows
}

interface Group extends EndpointMaker {
  key: string
  ids: number[]
  position: number
  room: number
}

/** Endpoints that get the same bodies, together; one that failed the last time, by itself. */
function groupsOf(endpoints: Waiting[], isPaused: (endpoint: Waiting) => boolean): Group[] {
  const groups = new Map<string, Group>()
  for (const endpoint of endpoints) {
    const { tenant_id, user_id, key_id, types, position, id, room } = endpoint
    const alone = isPaused(endpoint) ? id : null
    const key = JSON.stringify([user_id, key_id, position, alone, types])
    const group = groups.getOrInsertComputed(key, () => ({ key, tenant_id, user_id, key_id, ids: [], position, room }))
    group.ids.push(id)
    group.room = Math.min(group.room, room)
  }
  return [...groups.values()]
}

/** Gives endpoints of a workspace the events that they have not been told yet, for one slice of time. Answers whether there may be more to do at once. */
export async function dispatchSlice(services: Services, feed: Feed, transact: Transact): Promise<boolean> {
  const { pauses, batchEvents } = memories.getOrInsertComputed(services, () => ({ pauses: new Map(), batchEvents: new Map() }))
  const began = performance.now()
  const keyOf = (tenantId: number, id: number) => `${tenantId} ${id}`
  const { last } = await transact('write', feed.place)
  const endpoints = (await transact('read', endpointsOf)).filter(({ position, room }) => position < last && room > 0)
  let more = false
  for (const group of groupsOf(endpoints, ({ tenant_id, id }) => pauses.has(keyOf(tenant_id, id)))) {
    const { tenant_id, ids, position, room } = group
    const pause = pauses.get(keyOf(tenant_id, ids[0]!))
    if (pause && pause.until > services.clock.now()) continue
    if (performance.now() - began > SLICE) return true
    const batchBegan = performance.now()
    const most = batchEvents.get(tenant_id) ?? MAX_BATCH_EVENTS
    const limit = Math.max(1, Math.min(most, room, Math.floor(MAX_BATCH_DELIVERIES / ids.length)))
    try {
      const maker = await feed.maker(services, group)
      if ('ended' in maker)
        for (const id of ids)
          await transact('write', (ctx) => switchOff(ctx, id, `Nobody is told by it any more: ${maker.ended}`))
      else if (await transact('write', (ctx) => takeEvents(feed, maker(ctx), { ids, position, limit }))) more = true
      for (const id of ids) pauses.delete(keyOf(tenant_id, id))
      const took = performance.now() - batchBegan
      if (took > SLICE) batchEvents.set(tenant_id, Math.max(1, most >> 1))
      else if (most < MAX_BATCH_EVENTS && took < SLICE / 4) batchEvents.set(tenant_id, 2 * most)
      if (batchEvents.get(tenant_id)! >= MAX_BATCH_EVENTS) batchEvents.delete(tenant_id)
    } catch (error) {
      // What the database can't do at the moment says nothing of the endpoints.
      if (!failureOf(error) && !isRetryable(error))
        for (const id of ids) {
          // Of several, one may be at fault: each is tried by itself, and at once.
          const seconds = ids.length > 1 ? 0 : pause?.seconds ? Math.min(2 * pause.seconds, LONGEST_PAUSE) : PAUSE
          if (pauses.size >= MAX_PAUSED) pauses.clear()
          pauses.set(keyOf(tenant_id, id), { seconds, until: plusSeconds(services.clock.now(), seconds) })
          if (!seconds) more = true
        }
      services.log.warn({ err: error, tenant_id, endpoints: ids }, 'webhook endpoints can not be told of events at the moment')
    }
  }
  return more
}
