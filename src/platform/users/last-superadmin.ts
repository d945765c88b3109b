/** Ensures that the last superadmin stays one. */
import type { PlatformCtx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { SUPERADMIN } from '#platform/roles/public.ts'

/**
 * Throws a 422 on the field if no other superadmin could sign in. Locks the role's row until the transaction ends, so that of two
 * superadmins who remove each other the second fails.
 */
export async function refuseLastSuperadmin(ctx: PlatformCtx, { id }: { id: number }, field: 'user' | 'role') {
  const role = await ctx.tx
    .selectFrom('platform_roles')
    .select('id')
    .where('name', '=', SUPERADMIN)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const held = await ctx.tx
    .selectFrom('platform_user_roles as ur')
    .innerJoin('platform_users as u', 'u.id', 'ur.user_id')
    .select(['u.id', 'u.deleted_at', 'u.suspended_at', 'u.password_hash'])
    .where('ur.role_id', '=', role.id)
    .execute()
  const canSignIn = held.filter((one) => !one.deleted_at && !one.suspended_at && one.password_hash)
  if (canSignIn.length === 1 && canSignIn[0]!.id === id)
    throw invalid({ [field]: 'This is the last superadmin. Give the role to somebody else first.' })
}
