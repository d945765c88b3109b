/**
 * Roles of a workspace. `superadmin` belongs to the owner: it has every permission and can't be assigned, changed or deleted
 * (GEN-12).
 */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { computed } from '#kernel/records/view.ts'
import { beyond, permissionsOf } from './powers.ts'
import { type CreateRole, Role, type UpdateRole } from './schema.ts'

export const roles = lookupTable({
  table: 'roles',
  noun: 'role',
  item: Role,
  unique: { roles_name: { name: 'There is already a role of this name.' } },
})

export const roleList = listing(roles, {
  search: ['name', 'description'],
  hardDeleted: true,
})

/** Its initial name. */
export const MEMBER = 'member'

export const createRole = async (ctx: Ctx, body: z.output<typeof CreateRole>) =>
  roles.insert(ctx, { ...body, permissions: await grantable(ctx, body.permissions) })

/** 422 on `role` for superadmin, admin, and a role with permissions that the actor lacks. */
export async function updateRole(ctx: Ctx, role: Row<'roles'>, body: z.output<typeof UpdateRole>) {
  await refuseChange(ctx, role)
  const permissions = body.permissions && (await grantable(ctx, body.permissions, role.permissions))
  await roles.save(ctx, role, { ...body, ...(permissions ? { permissions } : {}) })
}

/** 422 on `role` while users have it. */
export async function deleteRole(ctx: Ctx, role: Row<'roles'>) {
  await refuseChange(ctx, role)
  const { rows } = await sql<{ users: number }>`
    select count(*)::int as users from user_roles ur
    join users u on u.tenant_id = ${ctx.tenant.id} and u.id = ur.user_id and u.deleted_at is null
    where ur.tenant_id = ${ctx.tenant.id} and ur.role_id = ${role.id}`.execute(ctx.tx)
  const users = rows[0]!.users
  if (users) throw invalid({ role: `${users} users still have the role ${role.name}. Give them another first.` })
  await ctx.deleteFrom('user_roles').where('role_id', '=', role.id).execute()
  await roles.remove(ctx, role)
}

/** View field of users: the names of their roles. */
export const roleNames = <const Table extends 'users'>(_table: Table) =>
  computed(
    z.array(z.string()),
    ({ ctx, table }) => sql`(
      select coalesce(json_agg(r.name order by r.name), '[]') from user_roles ur
      join roles r on r.tenant_id = ${ctx.tenant.id} and r.id = ur.role_id
      where ur.tenant_id = ${ctx.tenant.id} and ur.user_id = ${sql.ref(`${table}.id`)})`,
  )

/**
 * Returns the ids of roles by name, for assigning them; 422 on `role`. An actor may assign only permissions that they have.
 * Exceptions: roles the user already has, and the seeded role member. The roles can't be deleted until the transaction ends.
 */
export async function rolesToGive(ctx: Ctx, names: string[], already: string[] = []): Promise<number[]> {
  const wanted = [...new Set(names)]
  const found = wanted.length
    ? await ctx
        .from('roles')
        .select(['id', 'name', 'kind', 'permissions'])
        .where('name', 'in', wanted)
        .orderBy('id')
        .forKeyShare()
        .execute()
    : []
  const unknown = wanted.filter((name) => !found.some((role) => role.name === name))
  if (unknown.length) throw invalid({ role: `There is no role ${unknown.join(', ')}.` })
  for (const role of found) {
    if (role.kind === 'owner') throw invalid({ role: `The role ${role.name} belongs to the owner alone.` })
    if (already.includes(role.name)) continue
    const more = await beyond(ctx, permissionsOf(ctx, [role]))
    if (more) throw invalid({ role: `The role ${role.name} allows ${more}, which you may not do yourself.` })
  }
  return found.map((role) => role.id)
}

/** Returns the name of the seeded role for everyday work: MEMBER, unless it was renamed. Undefined where it was deleted. */
export async function everydayRole(ctx: Ctx): Promise<string | undefined> {
  const role = await ctx.from('roles').select('name').where('kind', '=', 'member').executeTakeFirst()
  return role?.name
}

/**
 * Returns the sent permissions, sorted. 422 on `permissions` for unknown ones, and for those that neither the actor nor the role
 * had before.
 */
async function grantable(ctx: Ctx, sent: string[], before: string[] = []) {
  const known = new Set(ctx.services.modules.permissions('workspace').map((permission) => permission.name))
  const wanted = [...new Set(sent)].sort()
  const unknown = wanted.filter((name) => !known.has(name))
  if (unknown.length) throw invalid({ permissions: `Unknown permissions: ${unknown.join(', ')}.` })
  const beyondActor = wanted.filter((name) => !before.includes(name) && !ctx.can(name as never))
  if (beyondActor.length)
    throw invalid({ permissions: `You may not give what you don't hold yourself: ${beyondActor.join(', ')}.` })
  return wanted
}

async function refuseChange(ctx: Ctx, role: Row<'roles'>) {
  if (role.is_protected) throw invalid({ role: `The role ${role.name} is protected.` })
  if (role.kind === 'admin')
    throw invalid({ role: `The role ${role.name} may everything that is installed; it can't be changed.` })
  const more = await beyond(ctx, permissionsOf(ctx, [role]))
  if (more) throw invalid({ role: `The role ${role.name} allows ${more}, which you may not do yourself.` })
}
