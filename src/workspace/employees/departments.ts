/** Departments: with unique names, and managed by users of the workspace. */
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { lookupRoutes } from '#kernel/http/lookup-routes.ts'
import { UserRef } from '#kernel/records/embed.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import { computed, view } from '#kernel/records/view.ts'
import { hardStamps, ref, text } from '#kernel/values/fields.ts'
import { changeManagers, setManagers } from './managers.ts'

const CreateDepartment = z.object({
  name: text(255),
  manager_ids: z
    .array(ref('user'))
    .max(50, 'Must be at most 50 managers.')
    .meta({ description: 'Ids of the users who manage the department.', examples: [[7]] })
    .default([]),
  is_active: z.boolean().default(true),
})

/** Live users only: sending back the id of a deleted user would be rejected. */
const ofManagers = <S extends z.core.$ZodType>(shown: S, value: RawBuilder<unknown>) =>
  computed(
    z.array(shown),
    ({ ctx, table }) => sql`(
      select coalesce(json_agg(${value} order by u.name, u.id), '[]') from department_managers m
      join users u on u.tenant_id = ${ctx.tenant.id} and u.id = m.user_id and u.deleted_at is null
      where m.tenant_id = ${ctx.tenant.id} and m.department_id = ${sql.ref(`${table}.id`)})`,
  )

const Department = view('departments', 'Department', {
  id: z.int(),
  name: z.string(),
  manager_ids: ofManagers(z.int(), sql`u.id`),
  managers: ofManagers(UserRef, sql`json_build_object('id', u.id, 'name', u.name, 'email', u.email)`).describe(
    'The users who manage the department.',
  ),
  is_active: z.boolean(),
  ...hardStamps,
})

const departments = lookupTable({
  table: 'departments',
  noun: 'department',
  item: Department,
  unique: { departments_name: { name: 'Another department of this workspace has this name.' } },
})

export const departmentRoutes = lookupRoutes(departments, '/departments', {
  list: listing(departments, {
    search: ['name'],
    order: { by: ['name'] },
    filters: { is_active: filter.flag('is_active') },
    hardDeleted: true,
  }),
  body: CreateDepartment,
  allow: { view: 'employees.view', create: 'employees.create', update: 'employees.update', delete: 'employees.delete' },
  async create(ctx, { manager_ids, ...body }) {
    const department = await departments.insert(ctx, body)
    await setManagers(ctx, department.id, manager_ids)
    return department
  },
  async update(ctx, department, { manager_ids, ...body }) {
    await departments.save(ctx, department, body)
    if (manager_ids) await changeManagers(ctx, department, manager_ids)
  },
})

/** 422 on `department_id` unless it is an active department, which then can't be deleted until the transaction ends. */
export async function checkDepartment(ctx: Ctx, id: number | null | undefined) {
  if (id == null) return
  const department = await ctx
    .from('departments')
    .select('id')
    .where('id', '=', id)
    .where('is_active', '=', true)
    .forKeyShare()
    .executeTakeFirst()
  if (!department) throw invalid({ department_id: 'There is no such active department in this workspace.' })
}
