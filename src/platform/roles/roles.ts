/** Roles of the platform. Seeded roles that routes name are protected: they can't be renamed or deleted (CEN-44). */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { refuseTaken } from '#kernel/database/violations.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { changedFields } from '#kernel/records/changes.ts'
import { listing, platformTable } from '#kernel/records/listing.ts'
import { readOne, type View } from '#kernel/records/view.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { permissionNames } from './permissions.ts'
import { beyond, type Powers, SUPERADMIN } from './powers.ts'
import { type CloneRole, type CreateRole, Role, RoleDetail, type UpdateRole } from './schema.ts'

export const roleList = listing(platformTable('platform_roles', Role), {
  order: { by: ['name'] },
  search: ['name'],
  hardDeleted: true,
})

const shownBy = (view: View) => (ctx: PlatformCtx, id: number) =>
  readOne(ctx, view, 'platform_roles', sql`platform_roles.id = ${id}`, { noun: 'role', revised: true })
/** Returns a role with the ids of its permissions. */
const readRole = shownBy(Role)
/** Returns a role with every existing permission. */
export const showRole = shownBy(RoleDetail)

/** Locks a role. 404 if it doesn't exist. */
export async function lockRole(ctx: PlatformCtx, id: number) {
  const role = await ctx.tx.selectFrom('platform_roles').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (!role) throw notFound('There is no such role.')
  return role
}
export type LockedRole = Awaited<ReturnType<typeof lockRole>>

const taken = refuseTaken({ platform_roles_name_key: { name: 'There is already a role of this name.' } })

/** Creates a role. 422 on `permissions` for unknown ones, and for those that the actor lacks. */
export async function createRole(ctx: PlatformCtx, { name, permissions }: z.output<typeof CreateRole>) {
  return insertRole(ctx, name, await grantable(ctx, permissions))
}

/**
 * Changes a role. 422 on `role` for superadmin, for renaming a protected one, and for one with permissions that the actor lacks.
 */
export async function updateRole(ctx: PlatformCtx, role: LockedRole, { name, permissions }: z.output<typeof UpdateRole>) {
  refuseBeyond(ctx, role)
  if (role.name === SUPERADMIN) throw invalid({ role: 'The role superadmin passes every gate; it is not changed.' })
  if (role.is_protected && name !== undefined && name !== role.name)
    throw invalid({ role: `The role ${role.name} is protected: it keeps its name.` })
  const changes = changedFields(role, {
    name,
    permissions: permissions && (await grantable(ctx, permissions, role.permissions)),
  })
  const fields = Object.keys(changes)
  if (!fields.length) return readRole(ctx, role.id)
  await ctx.tx
    .updateTable('platform_roles')
    .set({ ...changes, updated_at: ctx.now, revision: sql`revision + 1` })
    .where('id', '=', role.id)
    .execute()
    .catch(taken)
  await audit(ctx, 'role_updated', { role_id: role.id, name: name ?? role.name, fields })
  return readRole(ctx, role.id)
}

/** Deletes a role. 422 on `role` for a protected one, and while users have it. */
export async function deleteRole(ctx: PlatformCtx, role: LockedRole) {
  if (role.is_protected) throw invalid({ role: `The role ${role.name} is protected.` })
  refuseBeyond(ctx, role)
  const holders = ctx.tx.selectFrom('platform_user_roles as ur').where('ur.role_id', '=', role.id)
  const { n } = await holders
    .innerJoin('platform_users as u', (join) => join.onRef('u.id', '=', 'ur.user_id').on('u.deleted_at', 'is', null))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  if (n) throw invalid({ role: `People still have the role ${role.name}: ${n}. Give them another first.` })
  await ctx.tx.deleteFrom('platform_user_roles').where('role_id', '=', role.id).execute()
  await ctx.tx.deleteFrom('platform_roles').where('id', '=', role.id).execute()
  await audit(ctx, 'role_deleted', { role_id: role.id, name: role.name })
}

/** Copies a role; the copy isn't protected. Default name: a free one. 422 on `role` as above. */
export async function cloneRole(ctx: PlatformCtx, role: LockedRole, { name }: z.output<typeof CloneRole>) {
  refuseBeyond(ctx, role)
  const permissions = role.name === SUPERADMIN ? permissionNames(ctx.services.modules).sort() : role.permissions
  return insertRole(ctx, name ?? (await freeName(ctx, `${role.name.slice(0, 80)} copy`)), permissions)
}

async function insertRole(ctx: PlatformCtx, name: string, permissions: string[]) {
  const { id } = await ctx.tx
    .insertInto('platform_roles')
    .values({ name, permissions, created_at: ctx.now, updated_at: ctx.now })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch(taken)
  await audit(ctx, 'role_created', { role_id: id, name })
  return readRole(ctx, id)
}

async function freeName(ctx: PlatformCtx, base: string) {
  const roles = await ctx.tx.selectFrom('platform_roles').select('name').execute()
  const names = new Set(roles.map((role) => role.name))
  if (!names.has(base)) return base
  for (let n = 2; ; n++) if (!names.has(`${base} ${n}`)) return `${base} ${n}`
}

/**
 * Returns the names of permissions by id. 422 on `permissions` for unknown ones, and for those that neither the actor nor the
 * role already has.
 */
async function grantable(ctx: PlatformCtx, ids: number[], before: string[] = []): Promise<string[]> {
  const wanted = [...new Set(ids)]
  const found = wanted.length
    ? await ctx.tx.selectFrom('platform_permissions').select(['id', 'name']).where('id', 'in', wanted).orderBy('name').execute()
    : []
  const unknown = wanted.filter((id) => !found.some((permission) => permission.id === id))
  if (unknown.length) throw invalid({ permissions: `There is no permission ${unknown.join(', ')}.` })
  const names = found.map(({ name }) => name)
  const lacking = names.filter((name) => !before.includes(name) && !ctx.can(name as never))
  if (lacking.length) throw invalid({ permissions: `You may not give what you don't hold yourself: ${lacking.join(', ')}.` })
  return names
}

function refuseBeyond(ctx: PlatformCtx, role: Powers) {
  const more = beyond(ctx, [role])
  if (more) throw invalid({ role: `The role ${role.name} allows what you may not do yourself (${more}).` })
}
