/** From events to deliveries, endpoint by endpoint: one that can't be told holds up none of the others. */
import type { Services } from '../context.ts'
import { takeEvents } from './deliveries.ts'
import type { EndpointMaker, Feed, Transact } from './side.ts'
import { switchOff } from './switching-off.ts'

/** Gives endpoints of one side what they have not been told yet, as whoever made them may see it. Answers whether there may be more to do at once. */
export async function dispatchTo(
  services: Services,
  feed: Feed,
  transact: Transact,
  endpoints: (EndpointMaker & { id: number })[],
): Promise<boolean> {
  let more = false
  for (const endpoint of endpoints) {
    const { tenant_id, id } = endpoint
    try {
      const maker = await feed.maker(services, endpoint)
      if ('ended' in maker) await transact('write', (ctx) => switchOff(ctx, id, `Nobody is told by it any more: ${maker.ended}`))
      else if (await transact('write', (ctx) => takeEvents(feed, maker(ctx), id))) more = true
    } catch (error) {
      services.log.warn({ err: error, tenant_id, endpoint: id }, 'a webhook endpoint can not be told of events at the moment')
    }
  }
  return more
}
