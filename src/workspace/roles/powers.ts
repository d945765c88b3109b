/**
 * Powers: what somebody holds by their roles, and who may do something to whom. Nobody changes, suspends, deletes or takes roles from
 * somebody who holds more than they do, and nobody gives away what they don't hold. What the seeded role member allows counts in none of
 * these comparisons, so that somebody who manages users need not do everybody's work.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { permissionsBy, type RoleKind } from '#kernel/modules/permissions.ts'

export interface Powers {
  kind: RoleKind | null
  permissions: string[]
}

/** What roles allow here. */
export const permissionsOf = (ctx: Ctx, roles: Powers[]) => permissionsBy(ctx.services.modules, roles, ctx.entitled)

/** The roles that a user has. */
export async function rolesOf(ctx: Ctx, userId: number): Promise<(Powers & { id: number; name: string })[]> {
  return ctx
    .from('user_roles as ur')
    .innerJoin('roles as r', (join) => join.on('r.tenant_id', '=', ctx.tenant.id).onRef('r.id', '=', 'ur.role_id'))
    .select(['r.id', 'r.name', 'r.kind', 'r.permissions'])
    .where('ur.user_id', '=', userId)
    .execute()
}

/** A permission among these that the actor doesn't hold and everyday work doesn't need; undefined when there is none. */
export async function beyond(ctx: Ctx, permissions: Iterable<string>): Promise<string | undefined> {
  const lacking = [...permissions].filter((permission) => !ctx.can(permission as never))
  if (!lacking.length) return undefined
  const { rows } = await sql<{ permission: string }>`
    select unnest(permissions) as permission from roles where tenant_id = ${ctx.tenant.id} and kind = 'member'`.execute(ctx.tx)
  const everyday = new Set(rows.map(({ permission }) => permission))
  return lacking.find((permission) => !everyday.has(permission))
}

/** 422 on `user` where the user holds something that the actor doesn't. */
export async function refuseMorePowerful(ctx: Ctx, user: { id: number; is_owner: boolean }) {
  if (user.is_owner && (!ctx.actor.isOwner || ctx.actor.key)) throw invalid({ user: 'Only the owner may change the owner.' })
  const more = await beyond(ctx, permissionsOf(ctx, await rolesOf(ctx, user.id)))
  if (more) throw invalid({ user: `This user may do what you may not (${more}); somebody who may has to do this.` })
}
