import { z } from 'zod'
import { limiter } from '#kernel/http/limits.ts'
import { action, recordRoutes } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { UserRef } from '#kernel/records/embed.ts'
import { refuseMorePowerful } from '#workspace/roles/public.ts'
import { leadAssignees } from './lead-assignees.ts'
import { CreateUser, UpdateUser, User } from './schema.ts'
import {
  createUser,
  deleteUser,
  refuseDeletion,
  refuseInvited,
  refuseSuspension,
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
  get(
    '/lead-assignees',
    {
      allow: 'users.view',
      description: 'Answers all users to whom leads can be given: not suspended, not the owner, not excluded from leads.',
      reply: z.array(UserRef),
    },
    leadAssignees,
  ),
  multiTransaction.post(
    '/',
    {
      allow: 'users.create',
      grants: true,
      body: CreateUser,
      reply: User,
      status: 201,
      message: 'User created.',
      description:
        'Creates a user. Without `password` an invitation is mailed by which they choose one. The address must be new in the workspace.',
    },
    (steps, { body }) => createUser(steps, body),
  ),
  ...recordRoutes(users, {
    list: userList,
    changes: UpdateUser,
    update: updateUser,
    remove: deleteUser,
    restore: restoreUser,
    force: false,
    grants: { changes: ['role', 'email'], life: true },
    guards: { update: refuseMorePowerful, remove: refuseDeletion },
  }),
  action(
    users,
    '/:id/suspend',
    {
      allow: 'users.suspend',
      grants: true,
      guard: refuseSuspension,
      message: 'User suspended.',
      description: 'Refuses the user at once, in every session, until the suspension is lifted. The owner can’t be suspended.',
    },
    suspend,
  ),
  action(
    users,
    '/:id/unsuspend',
    {
      allow: 'users.suspend',
      grants: true,
      guard: refuseMorePowerful,
      message: 'Suspension lifted.',
      description: 'Lets a suspended user in again.',
    },
    unsuspend,
  ),
  action(
    users,
    '/:id/resend-invite',
    {
      allow: 'users.update',
      grants: true,
      limit: inviting,
      guard: refuseInvited,
      message: 'The invitation is on its way again.',
      description: 'Mails a new link to choose a password; earlier ones end. For users who have not signed in yet.',
    },
    resendInvite,
  ),
  action(
    users,
    '/:id/verify-email',
    {
      allow: 'users.update',
      grants: true,
      guard: refuseMorePowerful,
      message: 'Address verified.',
      description: 'Vouches for the user’s address, as if its mailed link had been opened.',
    },
    verifyUserEmail,
  ),
]
