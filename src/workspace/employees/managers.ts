/** Managers of departments. */
import type { Ctx } from '#kernel/context.ts'
import { type Row, replaceChildren, writeRow } from '#kernel/records/resource.ts'

/** Makes these users the managers of a department. */
export const setManagers = (ctx: Ctx, departmentId: number, userIds: number[]) => {
  const rows = [...new Set(userIds)].map((user_id) => ({ user_id }))
  return replaceChildren(ctx, departmentId, { table: 'department_managers', by: 'department_id', rows })
}

/** Replaces the managers of a department. Does nothing if they are the same. */
export async function changeManagers(ctx: Ctx, department: Row<'departments'>, userIds: number[]) {
  const before = await managersOf(ctx, department.id)
  if (new Set(userIds).symmetricDifference(before).size === 0) return
  await setManagers(ctx, department.id, userIds)
  await writeRow(ctx, 'departments', 'id', department, {}, undefined) // new revision: `If-Match` covers the managers too
}

/** Returns the live users who manage a department. */
async function managersOf(ctx: Ctx, departmentId: number): Promise<Set<number>> {
  const rows = await ctx
    .from('department_managers as m')
    .innerJoin('users as u', (join) => join.on('u.tenant_id', '=', ctx.tenant.id).onRef('u.id', '=', 'm.user_id'))
    .select('u.id')
    .where('m.department_id', '=', departmentId)
    .where('u.deleted_at', 'is', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
