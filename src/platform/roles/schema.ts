import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { computed, describeRecord, extended, view } from '#kernel/records/view.ts'
import { changesOf, hardStamps, text } from '#kernel/values/fields.ts'
import { SUPERADMIN } from './powers.ts'

const permissionIds = z
  .array(z.int('Must be the id of a permission.').positive().max(Number.MAX_SAFE_INTEGER))
  .max(500)
  .meta({
    description: 'Ids of what the role lets its users do. `GET /roles/permissions-matrix` lists them all.',
    examples: [[1, 2]],
  })

/** Names of the roles to grant. */
export const RoleNames = z
  .array(z.string().max(100))
  .max(50)
  .meta({ 'x-choices': { path: '/roles', field: 'name', about: null } })

export const CreateRole = z.object({ name: text(100), permissions: permissionIds.default([]) })
export const UpdateRole = changesOf(CreateRole)
export const CloneRole = z.object({ name: text(100).optional() })

/** SQL condition: a row of platform_roles has a row of platform_permissions. superadmin passes every gate (AUTH-18). */
const allows = (role: string, permission: string): RawBuilder<boolean> =>
  sql`(${sql.ref(`${role}.name`)} = ${SUPERADMIN} or ${sql.ref(`${permission}.name`)} = any(${sql.ref(`${role}.permissions`)}))`

/** CEN-40: permissions by their ids. */
export const Role = view('platform_roles', 'PlatformRole', {
  id: z.int(),
  name: z.string(),
  permissions: computed(
    z.array(z.int()),
    ({ table }) => sql`(
      select coalesce(json_agg(p.id order by p.id), '[]') from platform_permissions p where ${allows(table, 'p')})`,
  ),
  is_protected: z.boolean(),
  users_count: computed(
    z.int(),
    ({ table }) => sql`(
      select count(*)::int from platform_user_roles ur join platform_users u on u.id = ur.user_id and u.deleted_at is null
      where ur.role_id = ${sql.ref(`${table}.id`)})`,
  ),
  ...hardStamps,
})

const group = sql`split_part(p.name, '.', 1)`

const AssignablePermission = z
  .object({ id: z.int(), name: z.string(), group: z.string(), is_assigned: z.boolean().describe('Whether the role has it.') })
  .meta({ id: 'AssignablePermission' })

/** CEN-42: the role with every existing permission, assigned or not. */
export const RoleDetail = extended(Role, 'PlatformRoleDetail', {
  permissions: computed(
    z.array(AssignablePermission).describe('Every permission that there is, and whether the role has it.'),
    ({ table }) => sql`(
      select coalesce(json_agg(json_build_object('id', p.id, 'name', p.name, 'group', ${group}, 'is_assigned', ${allows(table, 'p')}) order by p.id), '[]')
      from platform_permissions p)`,
  ),
})
for (const shown of [Role, RoleDetail]) describeRecord(shown, { table: 'platform_roles', title: 'name' })

/** CEN-41. */
export const MatrixItem = z
  .object({
    id: z.int(),
    name: z.string(),
    group: z.string(),
    roles: z.array(z.string()).meta({ description: 'Names of the roles that have it.', examples: [['superadmin']] }),
  })
  .meta({ id: 'PermissionMatrixItem' })

/** Query of the matrix: every permission with the names of the roles that have it. */
export const matrix = sql<z.output<typeof MatrixItem>>`
  select p.id, p.name, ${group} as "group",
    array(select r.name from platform_roles r where ${allows('r', 'p')} order by r.name) as roles
  from platform_permissions p order by p.id`
