import type { Actor, Operator, Services } from '#kernel/context.ts'
import { liveKey } from '#kernel/jobs/entering.ts'
import type { Ended } from '#kernel/jobs/job.ts'
import { within } from '#kernel/modules/permissions.ts'
import type { EndpointMaker } from '#kernel/webhooks/side.ts'
import { rolesOf, SUPERADMIN } from '#platform/roles/public.ts'

/**
 * Returns the creator of an endpoint with their current permissions, limited to the scopes of the key it was created with; or the
 * reason why access was lost.
 */
export const makerOf = (
  { database, modules, clock }: Services,
  { user_id: userId, key_id: keyId }: EndpointMaker,
): Promise<Operator | Ended> =>
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
