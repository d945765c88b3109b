/**
 * Compares the permissions of actors and users. Nobody may change, suspend, delete or take roles from a user with more
 * permissions than they have, or grant permissions that they lack. The seeded role member is ignored in these comparisons, so
 * that a user manager need not have every everyday permission.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { permissionsBy, type RoleKind } from '#kernel/modules/permissions.ts'

export interface Powers {
  kind: RoleKind | null
  permissions: string[]
}

/** Returns the permissions that these roles grant in this workspace. */
export const permissionsOf = (ctx: Ctx, roles: Powers[]) => permissionsBy(ctx.services.modules, roles, ctx.entitled)

/** Returns a user's roles. */
export async function rolesOf(ctx: Ctx, userId: number): Promise<(Powers & { id: number; name: string })[]> {
  return ctx
    .from('user_roles as ur')
    .innerJoin('roles as r', (join) => join.on('r.tenant_id', '=', ctx.tenant.id).onRef('r.id', '=', 'ur.role_id'))
    .select(['r.id', 'r.name', 'r.kind', 'r.permissions'])
    .where('ur.user_id', '=', userId)
    .execute()
}

/** Returns one of these permissions that the actor lacks and the role member doesn't grant; undefined when there is none. */
export async function beyond(ctx: Ctx, permissions: Iterable<string>): Promise<string | undefined> {
  const lacking = [...permissions].filter((permission) => !ctx.can(permission as never))
  if (!lacking.length) return undefined
  const { rows } = await sql<{ permission: string }>`
    select unnest(permissions) as permission from roles where tenant_id = ${ctx.tenant.id} and kind = 'member'`.execute(ctx.tx)
  const everyday = new Set(rows.map(({ permission }) => permission))
  return lacking.find((permission) => !everyday.has(permission))
}

/** 422 on `user` who has a permission that the actor lacks. */
export async function refuseMorePowerful(ctx: Ctx, user: { id: number; is_owner: boolean }) {
  if (user.is_owner && (!ctx.actor.isOwner || ctx.actor.key)) throw invalid({ user: 'Only the owner may change the owner.' })
  const more = await beyond(ctx, permissionsOf(ctx, await rolesOf(ctx, user.id)))
  if (more) throw invalid({ user: `This user may do what you may not (${more}); somebody who may has to do this.` })
}
