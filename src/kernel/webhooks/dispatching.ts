/** From events to deliveries, endpoint by endpoint: one that can't be told holds up none of the others, and is tried ever more seldom. */
import type { Services } from '../context.ts'
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

interface Pause {
  seconds: number
  until: string
}

/** Endpoints that could not be told the last time, as this process knows them. */
const paused = new WeakMap<Services, Map<string, Pause>>()

/** Gives endpoints of one side what they have not been told yet, as whoever made them may see it. Answers whether there may be more to do at once. */
export async function dispatchTo(
  services: Services,
  feed: Feed,
  transact: Transact,
  endpoints: (EndpointMaker & { id: number })[],
): Promise<boolean> {
  const pauses = paused.getOrInsertComputed(services, () => new Map())
  let more = false
  for (const endpoint of endpoints) {
    const { tenant_id, id } = endpoint
    const key = `${tenant_id} ${id}`
    const pause = pauses.get(key)
    if (pause && pause.until > services.clock.now()) continue
    try {
      const maker = await feed.maker(services, endpoint)
      if ('ended' in maker) await transact('write', (ctx) => switchOff(ctx, id, `Nobody is told by it any more: ${maker.ended}`))
      else if (await transact('write', (ctx) => takeEvents(feed, maker(ctx), id))) more = true
      pauses.delete(key)
    } catch (error) {
      // What the database can't do at the moment says nothing of the endpoint.
      if (!failureOf(error) && !isRetryable(error)) {
        const seconds = pause ? Math.min(2 * pause.seconds, LONGEST_PAUSE) : PAUSE
        if (pauses.size >= MAX_PAUSED) pauses.clear()
        pauses.set(key, { seconds, until: plusSeconds(services.clock.now(), seconds) })
      }
      services.log.warn({ err: error, tenant_id, endpoint: id }, 'a webhook endpoint can not be told of events at the moment')
    }
  }
  return more
}
