/** Functions about employees for other modules. */
import type { Ctx } from '#kernel/context.ts'

/** Returns the ids of active departments that a user manages. */
export async function departmentsManagedBy(ctx: Ctx, userId: number): Promise<number[]> {
  const rows = await ctx
    .from('department_managers as m')
    .innerJoin('departments as d', (join) => join.on('d.tenant_id', '=', ctx.tenant.id).onRef('d.id', '=', 'm.department_id'))
    .select('d.id')
    .where('m.user_id', '=', userId)
    .where('d.is_active', '=', true)
    .orderBy('d.id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns the ids of users who are active employees of these departments, whether or not records may be assigned to them. */
export async function usersEmployedIn(ctx: Ctx, departmentIds: number[]): Promise<number[]> {
  if (!departmentIds.length) return []
  const rows = await ctx
    .from('employees as e')
    .innerJoin('users as u', (join) => join.on('u.tenant_id', '=', ctx.tenant.id).onRef('u.id', '=', 'e.user_id'))
    .select('u.id')
    .where('e.department_id', 'in', departmentIds)
    .where('e.status', '=', 'active')
    .where('e.deleted_at', 'is', null)
    .where('u.deleted_at', 'is', null)
    .orderBy('u.id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns the active employee of a user; undefined if there is none. */
export const activeEmployeeOf = (ctx: Ctx, userId: number) =>
  ctx
    .from('employees')
    .select(['id', 'number', 'name', 'department_id'])
    .where('user_id', '=', userId)
    .where('status', '=', 'active')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
