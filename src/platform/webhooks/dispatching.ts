/** Turns the platform's events into deliveries: each active endpoint gets those of its types that its creator may still see. */
import type { Services } from '#kernel/context.ts'
import { dispatchSlice } from '#kernel/webhooks/dispatching.ts'
import { systemTransactions } from '#kernel/webhooks/side.ts'
import { extentOf } from '#platform/events/public.ts'
import { feed } from './feed.ts'

const PLATFORM = 0

/** Runs one slice for the platform's active endpoints. Returns whether there may be more to do at once. */
export async function dispatchPlatformEvents(services: Services): Promise<boolean> {
  const { database } = services
  const behind = await database.platform('read', async (tx) => {
    const { last, has_unplaced } = await extentOf({ tx })
    const active = tx.selectFrom('webhook_endpoints').select('id').where('tenant_id', '=', PLATFORM).where('is_active', '=', true)
    return (has_unplaced ? active : active.where('position', '<', last)).executeTakeFirst()
  })
  if (!behind) return false
  await services.modules.routes() // loads all modules that declare events
  const transact = (await systemTransactions(services, PLATFORM))!
  return dispatchSlice(services, feed, transact)
}
