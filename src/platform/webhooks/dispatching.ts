/** From events of the platform to deliveries: each active endpoint gets those that it asked for and its creator may still see. */
import { type Actor, type Operator, onPlatform, originOf, type Services } from '#kernel/context.ts'
import { liveKey } from '#kernel/jobs/entering.ts'
import type { Ended } from '#kernel/jobs/job.ts'
import { within } from '#kernel/modules/permissions.ts'
import { takeEvents } from '#kernel/webhooks/deliveries.ts'
import { doorOf, sideCtx } from '#kernel/webhooks/side.ts'
import { switchOff } from '#kernel/webhooks/switching-off.ts'
import { extentOf } from '#platform/events/public.ts'
import { rolesOf, SUPERADMIN } from '#platform/roles/public.ts'
import { feed } from './feed.ts'

const PLATFORM = 0

/** One turn over the platform's active endpoints. Answers whether there may be more to do at once. */
export async function dispatchPlatformEvents(services: Services): Promise<boolean> {
  const { database } = services
  const behind = await database.platform('read', async (tx) => {
    const { last, has_unplaced } = await extentOf({ tx })
    const active = tx
      .selectFrom('webhook_endpoints')
      .select(['id', 'user_id', 'key_id'])
      .where('tenant_id', '=', PLATFORM)
      .where('is_active', '=', true)
      .orderBy('id')
    return (has_unplaced ? active : active.where('position', '<', last)).execute()
  })
  if (!behind.length) return false
  await services.modules.routes() // all that tell are loaded with them
  let more = false
  for (const { id, user_id, key_id } of behind) {
    const creator = await operatorFor(services, user_id, key_id)
    if ('ended' in creator) {
      const enter = (await doorOf(services, PLATFORM))!
      await enter('write', (ctx) => switchOff(ctx, id, `Nobody is told by it any more: ${creator.ended}`))
    } else {
      const taken = onPlatform(originOf(services), creator, 'write', (ctx) => takeEvents(feed, sideCtx(ctx), id))
      if (await taken) more = true
    }
  }
  return more
}

/** What somebody of the platform may do at this moment, as far as the key reaches by which they made it; or why they may nothing any more. */
const operatorFor = ({ database, modules, clock }: Services, userId: number, keyId: number | null): Promise<Operator | Ended> =>
  database.platform('read', async (tx) => {
    const user = await tx
      .selectFrom('platform_users')
      .select(['id', 'name', 'email', 'suspended_at'])
      .where('id', '=', userId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (!user) return { ended: 'The user on whose behalf it was is gone.' }
    if (user.suspended_at) return { ended: 'The user on whose behalf it was is suspended.' }
    const key = keyId === null ? undefined : await liveKey(tx, keyId, clock.now())
    if (keyId !== null && !key) return { ended: 'The API key by which it was made has ended.' }
    const held = await rolesOf({ tx }, userId)
    const { id, name, email } = user
    const roles = held.map((role) => role.name)
    const actor: Actor = { id, name, email, isOwner: false, roles, token: null, impersonator: null, key }
    const own = roles.includes(SUPERADMIN)
      ? modules.permissions('platform').map((permission) => permission.name)
      : held.flatMap(({ permissions }) => permissions)
    return { actor, permissions: key ? within(key.scopes, own) : new Set(own) }
  })
