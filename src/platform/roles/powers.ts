/**
 * Rules for managing roles and users of the platform. Nobody may grant permissions that they lack, or change, suspend, delete or
 * set the password of a user with more permissions. A protected role counts as a permission of its own, because routes check some
 * of them by name (AUTH-23): only its holders and superadmins may grant it.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { computed } from '#kernel/records/view.ts'

export const SUPERADMIN = 'superadmin'

/** Role with its permissions. */
export interface Powers {
  name: string
  is_protected: boolean
  permissions: string[]
}

/** Returns a permission or role among these that the actor lacks; undefined if there is none. */
export function beyond(ctx: PlatformCtx, roles: Powers[]): string | undefined {
  const { key } = ctx.actor
  if (ctx.actor.roles.includes(SUPERADMIN) && !key) return undefined
  for (const { name, is_protected, permissions } of roles) {
    if (is_protected && (key || !ctx.actor.roles.includes(name))) return `the role ${name}`
    const lacking = permissions.find((permission) => !ctx.can(permission as never))
    if (lacking) return lacking
  }
  return undefined
}

/** Returns the roles of a platform user. */
export const rolesOf = (ctx: Pick<PlatformCtx, 'tx'>, userId: number): Promise<(Powers & { id: number })[]> =>
  ctx.tx
    .selectFrom('platform_user_roles as ur')
    .innerJoin('platform_roles as r', 'r.id', 'ur.role_id')
    .select(['r.id', 'r.name', 'r.is_protected', 'r.permissions'])
    .where('ur.user_id', '=', userId)
    .orderBy('r.name')
    .execute()

/** Returns whether two sets of role names differ. */
export const areOthers = (names: string[], before: string[]) => new Set(names).symmetricDifference(new Set(before)).size > 0

/** Throws a 422 on `user` if the user has a permission that the actor lacks. */
export async function refuseMorePowerful(ctx: PlatformCtx, userId: number) {
  const more = beyond(ctx, await rolesOf(ctx, userId))
  if (more) throw invalid({ user: `This user may do what you may not (${more}); somebody who may has to do this.` })
}

/**
 * Returns the ids of roles to grant. 422 on `role` for an unknown one, or one with permissions that the actor lacks unless the
 * user has it `already`. The roles can't be deleted until the transaction ends.
 */
export async function rolesToGive(ctx: PlatformCtx, names: string[], already: string[] = []): Promise<number[]> {
  const wanted = [...new Set(names)]
  if (!wanted.length) return []
  const found = await ctx.tx
    .selectFrom('platform_roles')
    .select(['id', 'name', 'is_protected', 'permissions'])
    .where('name', 'in', wanted)
    .orderBy('id')
    .forKeyShare()
    .execute()
  const unknown = wanted.filter((name) => !found.some((role) => role.name === name))
  if (unknown.length) throw invalid({ role: `There is no role ${unknown.join(', ')}.` })
  for (const role of found) {
    const more = already.includes(role.name) ? undefined : beyond(ctx, [role])
    if (more) throw invalid({ role: `The role ${role.name} allows what you may not do yourself (${more}).` })
  }
  return found.map(({ id }) => id)
}

/** View field with the names of a platform user's roles. */
export const roleNames = <const Table extends 'platform_users'>(_table: Table) =>
  computed(
    z.array(z.string()),
    ({ table }) => sql`(
      select coalesce(json_agg(r.name order by r.name), '[]') from platform_user_roles ur
      join platform_roles r on r.id = ur.role_id where ur.user_id = ${sql.ref(`${table}.id`)})`,
  )
