/**
 * Employees: numbered, optionally in a department, optionally a user of the workspace. A user is at most one live employee
 * (USR-13).
 */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { createRecord, updateRecord } from '#kernel/records/saving.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { checkDepartment } from './departments.ts'
import { namesOf } from './names.ts'
import { CreateEmployee, Employee, employmentTypes, statuses, UpdateEmployee } from './schema.ts'

export const employees = resource({
  table: 'employees',
  module: 'employees',
  noun: 'employee',
  item: Employee,
  numbers: { prefix: 'EMP-', digits: 4 }, // USR-10
  tallied: ['status'],
  unique: { employees_user: { user_id: 'This user is another employee already.' } },
})

export const employeeList = listing(employees, {
  search: true,
  filters: {
    status: filter.oneOf('status', statuses),
    employment_type: filter.oneOf('employment_type', employmentTypes),
    department_id: filter.id('department_id'),
    user_id: filter.id('user_id'),
  },
})

export const employeeStats = statsOf('EmployeeStats', employeeList, { total: 'total_employees', states: statuses })

/** 422 on `name` without one, on `department_id` unless that is active, on `user_id` if the user is an employee already. */
export const createEmployee = (ctx: Ctx, body: z.output<typeof CreateEmployee>) =>
  createRecord(ctx, employees, CreateEmployee, body, async () => {
    const names = namesOf(body)
    await checkDepartment(ctx, body.department_id)
    await lockUser(ctx, body.user_id)
    return names
  })

export async function updateEmployee(ctx: Ctx, employee: Row<'employees'>, body: z.output<typeof UpdateEmployee>) {
  if (body.department_id !== employee.department_id) await checkDepartment(ctx, body.department_id)
  if (body.user_id !== employee.user_id) await lockUser(ctx, body.user_id)
  await updateRecord(ctx, employees, UpdateEmployee, employee, body, namesOf(body, employee))
}

/** Serialises transactions that make the same user an employee, before either locks anything that the other needs. */
async function lockUser(ctx: Ctx, id: number | null | undefined) {
  if (id == null) return
  const user = ctx.from('users').select('id').where('id', '=', id)
  await user.forNoKeyUpdate().execute()
}
