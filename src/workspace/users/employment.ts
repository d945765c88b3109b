/** The employee of a user. Owned by the module Employees: read here by record type, and changed by an event. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { emit } from '#kernel/modules/events.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { computed } from '#kernel/records/view.ts'
import { refId } from '#kernel/values/fields.ts'

/** View field of users: the live employee (USR-01). Null where there is none, or without the module Employees. */
export const employeeId = () =>
  computed(refId('employee').nullable(), ({ ctx, table }) => {
    const employees = subjectOf(ctx, 'employee')
    if (!employees?.entitled(ctx)) return sql`null::bigint`
    return sql`(
      select e.id from ${sql.table(employees.table)} e
      where e.tenant_id = ${ctx.tenant.id} and e.user_id = ${sql.ref(`${table}.id`)} and e.deleted_at is null)`
  })

/**
 * Requests that Employees links a user to an employee, or null for none. Employees checks the validity and the actor's
 * permission.
 */
export async function chooseEmployee(ctx: Ctx, user_id: number, employee_id: number | null) {
  needEmployees(ctx, 'employee_id')
  await emit(ctx, 'user.employee_chosen', { user_id, employee_id })
}

/** 422 on the field where Employees isn't installed. */
export function needEmployees({ entitled }: Pick<Ctx, 'entitled'>, field: string) {
  if (!entitled('employees')) throw invalid({ [field]: 'The module Employees is not installed in this workspace.' })
}
