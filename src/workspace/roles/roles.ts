/** Roles of a workspace. `superadmin` is the owner's alone: it passes every gate and is never given, changed or deleted (GEN-12). */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { listing, workspaceTable } from '#kernel/records/listing.ts'
import { refuseTaken } from '#kernel/records/resource.ts'
import type { CreateRole, UpdateRole } from './schema.ts'

const OWNER_ROLE = 'superadmin'

export const roleList = listing(workspaceTable('roles'), {
  sorts: ['created_at', 'updated_at', 'name'],
  search: ['name', 'description'],
  hardDeleted: true,
})

export const selectRoles = (ctx: Ctx) =>
  ctx.tx
    .selectFrom('roles')
    .selectAll('roles')
    .select(
      sql<number>`(select count(*)::int from user_roles ur join users u on u.tenant_id = ur.tenant_id and u.id = ur.user_id and u.deleted_at is null where ur.tenant_id = roles.tenant_id and ur.role_id = roles.id)`.as(
        'users_count',
      ),
    )
    .where('roles.tenant_id', '=', ctx.tenant.id)

export async function showRole(ctx: Ctx, id: number) {
  const role = await selectRoles(ctx).where('id', '=', id).executeTakeFirst()
  if (!role) throw notFound('There is no such role.')
  return role
}

export async function lockRole(ctx: Ctx, id: number) {
  const role = await ctx.tx
    .selectFrom('roles')
    .selectAll()
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!role) throw notFound('There is no such role.')
  return role
}

type LockedRole = Awaited<ReturnType<typeof lockRole>>

export async function createRole(ctx: Ctx, body: z.output<typeof CreateRole>) {
  const permissions = grantable(ctx, body.permissions)
  const { id } = await ctx.tx
    .insertInto('roles')
    .values({ ...body, permissions, tenant_id: ctx.tenant.id, created_at: ctx.now, updated_at: ctx.now })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch(refuseTakenName)
  return showRole(ctx, id)
}

export async function updateRole(ctx: Ctx, role: LockedRole, body: z.output<typeof UpdateRole>) {
  refuseProtected(role)
  const permissions = body.permissions && grantable(ctx, body.permissions, role.permissions)
  await ctx.tx
    .updateTable('roles')
    .set({ ...body, ...(permissions ? { permissions } : {}), updated_at: ctx.now, revision: sql`revision + 1` })
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', role.id)
    .execute()
    .catch(refuseTakenName)
  return showRole(ctx, role.id)
}

/** 422 on `role` while users have it. */
export async function deleteRole(ctx: Ctx, role: LockedRole) {
  refuseProtected(role)
  const { users_count } = await showRole(ctx, role.id)
  if (users_count) throw invalid({ role: `${users_count} users still have the role ${role.name}. Give them another first.` })
  await ctx.tx.deleteFrom('user_roles').where('tenant_id', '=', ctx.tenant.id).where('role_id', '=', role.id).execute()
  await ctx.tx.deleteFrom('roles').where('tenant_id', '=', ctx.tenant.id).where('id', '=', role.id).execute()
}

/** The names of the roles that the user in the row at hand has. */
export const roleNames = sql<string[]>`(
  select coalesce(json_agg(r.name order by r.name), '[]') from user_roles ur join roles r on r.tenant_id = ur.tenant_id and r.id = ur.role_id
  where ur.tenant_id = users.tenant_id and ur.user_id = users.id)`

/**
 * The ids of roles by name, for giving them to somebody; 422 on `role`. Nobody gives away more than they hold, but what
 * somebody has already may stay. The roles can't be deleted until the transaction ends.
 */
export async function rolesToGive(ctx: Ctx, names: string[], already: string[] = []): Promise<number[]> {
  if (names.includes(OWNER_ROLE)) throw invalid({ role: `The role ${OWNER_ROLE} belongs to the owner alone.` })
  const wanted = [...new Set(names)]
  const found = wanted.length
    ? await ctx.tx
        .selectFrom('roles')
        .select(['id', 'name', 'permissions'])
        .where('tenant_id', '=', ctx.tenant.id)
        .where('name', 'in', wanted)
        .orderBy('id')
        .forKeyShare()
        .execute()
    : []
  const unknown = wanted.filter((name) => !found.some((role) => role.name === name))
  if (unknown.length) throw invalid({ role: `There is no role ${unknown.join(', ')}.` })
  for (const role of found.filter(({ name }) => !already.includes(name))) {
    const beyond = role.permissions.find((permission) => !ctx.can(permission as never))
    if (beyond) throw invalid({ role: `The role ${role.name} allows ${beyond}, which you may not do yourself.` })
  }
  return found.map((role) => role.id)
}

/** The sent permissions when they exist and the actor holds them (or the role had them before); 422 on `permissions` otherwise. */
function grantable(ctx: Ctx, sent: string[], before: string[] = []) {
  const known = new Set(ctx.services.modules.permissions('workspace').map((permission) => permission.name))
  const wanted = [...new Set(sent)].sort()
  const unknown = wanted.filter((name) => !known.has(name))
  if (unknown.length) throw invalid({ permissions: `Unknown permissions: ${unknown.join(', ')}.` })
  const beyond = wanted.filter((name) => !before.includes(name) && !ctx.can(name as never))
  if (beyond.length) throw invalid({ permissions: `You may not give what you don't hold yourself: ${beyond.join(', ')}.` })
  return wanted
}

const refuseTakenName = refuseTaken({ roles_name: { name: 'There is already a role of this name.' } })

function refuseProtected(role: { name: string; is_protected: boolean }) {
  if (role.is_protected) throw invalid({ role: `The role ${role.name} is protected.` })
}
