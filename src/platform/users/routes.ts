import { z } from 'zod'
import { authSensitive, limiter } from '#kernel/http/limits.ts'
import { actionsOn } from '#kernel/http/platform-actions.ts'
import { platform } from '#kernel/http/route.ts'
import { ActivityEntry, activityOf } from './activity.ts'
import { deleteUser, forceDelete, resetPassword, restoreUser, suspend, unsuspend } from './life.ts'
import { CreateUser, InviteUser, ResetPassword, UpdateUser, User } from './schema.ts'
import { createUser, inviteUser, readable, resendInvite, updateUser, userList, users, vouchFor } from './users.ts'

const { get, post, put, patch, del, multiTransaction } = platform

const inviting = limiter({ name: 'platform-invite', points: 20, seconds: 60, by: 'user' })
const changing = { allow: 'users.update', record: users.lock, body: UpdateUser, reply: User, message: 'User saved.' } as const

const action = actionsOn(users)

export default [
  post(
    '/invite',
    {
      allow: 'users.invite',
      limit: inviting,
      body: InviteUser,
      reply: User,
      status: 201,
      message: 'Invitation sent.',
      description: 'Makes a platform user and mails a link by which they choose a password.',
    },
    (ctx, { body }) => inviteUser(ctx, body),
  ),
  get('/', { allow: 'users.list', query: userList.query, page: User }, (ctx, { query }) => userList.page(ctx, query)),
  multiTransaction.post(
    '/',
    { allow: 'users.create', body: CreateUser, reply: User, status: 201, message: 'User created.' },
    (steps, { body }) => createUser(steps, body),
  ),
  get('/:id', { allow: 'signed-in', reply: User }, async (ctx, { id }) => {
    await readable(ctx, id)
    return users.show(ctx, id)
  }),
  put('/:id', changing, (ctx, { record, body }) => updateUser(ctx, record, body)),
  patch('/:id', changing, (ctx, { record, body }) => updateUser(ctx, record, body)),
  del('/:id', { allow: 'users.delete', record: users.lock, message: 'User deleted.' }, (ctx, { record }) =>
    deleteUser(ctx, record),
  ),
  action('/:id/restore', { allow: 'users.restore', record: users.lockAny, message: 'User restored.' }, restoreUser),
  del(
    '/:id/force',
    { allow: 'users.force.delete', record: users.lockAny, message: 'User deleted for good.' },
    (ctx, { record }) => forceDelete(ctx, record),
  ),
  action(
    '/:id/suspend',
    {
      allow: 'users.suspend',
      message: 'User suspended.',
      description: 'Refuses the user at once, in every session, until the suspension is lifted.',
    },
    suspend,
  ),
  action(
    '/:id/unsuspend',
    { allow: 'users.unsuspend', message: 'Suspension lifted.', description: 'Lets a suspended user in again.' },
    unsuspend,
  ),
  multiTransaction.post(
    '/:id/change-password',
    {
      allow: 'users.reset-password',
      limit: authSensitive,
      record: users.find,
      body: ResetPassword,
      reply: User,
      message: 'Password changed.',
      description: 'Sets a new password for somebody else. Their sessions end and their passkeys are suspended.',
    },
    (steps, { id, body }) => resetPassword(steps, id, body),
  ),
  get(
    '/:id/activity',
    { allow: 'signed-in', description: 'Answers what the user did last, from the audit log.', reply: z.array(ActivityEntry) },
    async (ctx, { id }) => {
      await readable(ctx, id)
      return activityOf(ctx, id)
    },
  ),
  action(
    '/:id/resend-invite',
    {
      allow: 'users.invite',
      limit: inviting,
      message: 'The invitation is on its way again.',
      description: 'Mails a new link to choose a password; earlier ones end.',
    },
    resendInvite,
  ),
  action(
    '/:id/verify-email',
    {
      allow: 'users.update',
      message: 'Address verified.',
      description: 'Vouches for the user’s address, as if its mailed link had been opened.',
    },
    vouchFor,
  ),
]
