import { z } from 'zod'
import { limiter } from '#kernel/http/limits.ts'
import { action, recordRoutes } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { UserRef } from '#kernel/records/embed.ts'
import { leadAssignees } from './lead-assignees.ts'
import { CreateUser, UpdateUser, User } from './schema.ts'
import {
  createUser,
  deleteUser,
  resendInvite,
  restoreUser,
  suspend,
  unsuspend,
  updateUser,
  userList,
  users,
  verifyUserEmail,
} from './users.ts'

const { get, multiTransaction } = workspace

const inviting = limiter({ name: 'resend-invite', points: 20, seconds: 60, by: 'user' })

export default [
  get('/lead-assignees', { allow: 'users.view', reply: z.array(UserRef) }, leadAssignees),
  multiTransaction.post(
    '/',
    { allow: 'users.create', body: CreateUser, reply: User, status: 201, message: 'User created.' },
    (steps, { body }) => createUser(steps, body),
  ),
  ...recordRoutes(users, {
    list: userList,
    changes: UpdateUser,
    update: updateUser,
    remove: deleteUser,
    restore: restoreUser,
    force: false,
  }),
  action(users, '/:id/suspend', { allow: 'users.suspend', message: 'User suspended.' }, suspend),
  action(users, '/:id/unsuspend', { allow: 'users.suspend', message: 'Suspension lifted.' }, unsuspend),
  action(
    users,
    '/:id/resend-invite',
    { allow: 'users.update', limit: inviting, message: 'The invitation is on its way again.' },
    resendInvite,
  ),
  action(users, '/:id/verify-email', { allow: 'users.update', message: 'Address verified.' }, verifyUserEmail),
]
