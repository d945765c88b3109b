import type { Ctx } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import { recordRoutes } from '#kernel/http/record-routes.ts'
import { under, workspace } from '#kernel/http/route.ts'
import { users } from '#workspace/users/public.ts'
import { departmentRoutes } from './departments.ts'
import { createEmployee, employeeList, employeeStats, employees, updateEmployee } from './employees.ts'
import { employUser, refuseEmployed } from './linking.ts'
import { CreateEmployee, Employee, UpdateEmployee } from './schema.ts'

const { post } = workspace

/** Returns the user, locked; 404 for actors who may not see users. */
async function userInSight(ctx: Ctx, id: number) {
  if (!ctx.can('users.view')) throw notFound('There is no such user.')
  return users.lock(ctx, id)
}

const employeeRoutes = recordRoutes(employees, {
  list: employeeList,
  stats: employeeStats,
  body: CreateEmployee,
  changes: UpdateEmployee,
  create: createEmployee,
  update: updateEmployee,
})

export default [
  ...departmentRoutes,
  ...under('/employees', employeeRoutes),
  // USR-11 … USR-16.
  post(
    '/users/:id/create-employee',
    {
      allow: 'employees.create',
      grants: false,
      record: userInSight,
      guard: refuseEmployed,
      reply: Employee,
      status: 201,
      message: 'Employee created.',
      summary: 'Make a user an employee',
      operation: 'createEmployeeOfUser',
      description: 'Makes an employee of a user, with their name and address, hired today. 422 where they are one already.',
    },
    async (ctx, { record }) => employees.renderUnscoped(ctx, await employUser(ctx, record)),
  ),
]
