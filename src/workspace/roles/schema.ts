import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { everyPermission } from '#kernel/modules/permissions.ts'
import { computed, embedded, view } from '#kernel/records/view.ts'
import { changesOf, hardStamps, optionalText, text } from '#kernel/values/fields.ts'

/** Names of a user's roles. */
export const RoleNames = z
  .array(z.string().max(100))
  .max(50)
  .meta({ 'x-choices': { path: '/roles', field: 'name', about: 'description' } })

export const CreateRole = z.object({
  name: text(100),
  description: optionalText(500),
  permissions: z
    .array(z.string().max(100))
    .max(1000)
    .meta({
      description: 'Names of what the role lets its users do. `GET /permissions` lists them all.',
      'x-choices': { path: '/permissions', field: 'name', about: 'description' },
    })
    .default([]),
})
export const UpdateRole = changesOf(CreateRole)

export const Role = view('roles', 'Role', {
  id: z.int(),
  name: z.string(),
  description: z.string().nullable(),
  permissions: embedded(z.array(z.string()), {
    columns: ['kind', 'permissions'],
    value: ({ table }) =>
      sql`case when ${sql.ref(`${table}.kind`)} = 'admin' then null else to_json(${sql.ref(`${table}.permissions`)}) end`,
    finish: (listed: string[] | null, ctx: Ctx) => listed ?? [...everyPermission(ctx.services.modules, ctx.entitled)],
  }),
  is_protected: z.boolean(),
  users_count: computed(
    z.int(),
    ({ ctx, table }) => sql`(
      select count(*)::int from user_roles ur
      join users u on u.tenant_id = ${ctx.tenant.id} and u.id = ur.user_id and u.deleted_at is null
      where ur.tenant_id = ${ctx.tenant.id} and ur.role_id = ${sql.ref(`${table}.id`)})`,
  ),
  ...hardStamps,
})

export const PermissionEntry = z
  .object({ name: z.string(), group: z.string(), description: z.string() })
  .meta({ id: 'Permission' })
