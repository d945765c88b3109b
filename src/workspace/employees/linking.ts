/**
 * Links users to employees. A user is at most one live employee, enforced by the unique index employees_user (USR-12, USR-13,
 * USR-16).
 */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { revise } from '#kernel/records/changes.ts'
import { checkReferences } from '#kernel/records/references.ts'
import type { Row } from '#kernel/records/resource.ts'
import { optionalRef } from '#kernel/values/fields.ts'
import { employees } from './employees.ts'
import { namesOf } from './names.ts'

/** 422 on `user` if the user is an employee already (USR-16). */
export async function refuseEmployed(ctx: Ctx, user: Row<'users'>) {
  if (await employeeOf(ctx, user.id).executeTakeFirst()) throw invalid({ user: 'This user is an employee already.' })
}

/**
 * Makes the user an employee as of today (USR-10) and returns the id. The user's row is locked, so that this happens once
 * (USR-12).
 */
export async function employUser(ctx: Ctx, user: Row<'users'>): Promise<number> {
  const employee = await employees.insert(ctx, {
    ...namesOf({ name: user.name }),
    email: user.email,
    user_id: user.id,
    employment_type: 'full_time',
    status: user.suspended_at === null ? 'active' : 'inactive',
    hire_date: ctx.today(),
  })
  return employee.id
}

const Choice = z.object({ employee_id: optionalRef('employee', { picker: true }) })

/**
 * Links a user to an employee, or unlinks the user (USR-01). Requires `employees.update`. 422 on `employee_id` if there is no
 * such employee, or it is another user.
 */
export async function chooseEmployee(ctx: Ctx, userId: number, employeeId: number | null) {
  ctx.require('employees.update')
  await checkReferences(ctx, Choice, { employee_id: employeeId })
  const before = await employeeOf(ctx, userId).forUpdate().executeTakeFirst()
  if (before) await revise(ctx, employees, before, { user_id: null })
  if (employeeId === null) return
  const employee = await employees.lock(ctx, employeeId)
  if (employee.user_id !== null) throw invalid({ employee_id: 'This employee is another user. Set its user_id to null first.' })
  await revise(ctx, employees, employee, { user_id: userId })
}

/** The live employee of a user. */
const employeeOf = (ctx: Ctx, userId: number) =>
  ctx.from('employees').selectAll().where('user_id', '=', userId).where('deleted_at', 'is', null)
