/** From events of the platform to deliveries: each active endpoint gets those that it asked for and its creator may still see. */
import type { Services } from '#kernel/context.ts'
import { dispatchSlice } from '#kernel/webhooks/dispatching.ts'
import { systemTransactions } from '#kernel/webhooks/side.ts'
import { extentOf } from '#platform/events/public.ts'
import { feed } from './feed.ts'

const PLATFORM = 0

/** One slice over the platform's active endpoints. Answers whether there may be more to do at once. */
export async function dispatchPlatformEvents(services: Services): Promise<boolean> {
  const { database } = services
  const behind = await database.platform('read', async (tx) => {
    const { last, has_unplaced } = await extentOf({ tx })
    const active = tx.selectFrom('webhook_endpoints').select('id').where('tenant_id', '=', PLATFORM).where('is_active', '=', true)
    return (has_unplaced ? active : active.where('position', '<', last)).executeTakeFirst()
  })
  if (!behind) return false
  await services.modules.routes() // all that tell are loaded with them
  const transact = (await systemTransactions(services, PLATFORM))!
  return dispatchSlice(services, feed, transact)
}
