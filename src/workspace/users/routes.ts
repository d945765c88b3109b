import { z } from 'zod'
import { workspace } from '#kernel/http/route.ts'
import { UserRef } from '#kernel/records/embed.ts'
import { CreateUser, UpdateUser, User } from './schema.ts'
import {
  createUser,
  deleteUser,
  leadAssignees,
  presentUser,
  restoreUser,
  selectUsers,
  showUser,
  suspend,
  unsuspend,
  updateUser,
  userList,
  users,
  verifyUserEmail,
} from './users.ts'

const { get, post, put, del } = workspace

export default [
  get('/lead-assignees', { allow: 'users.view', reply: z.array(UserRef) }, leadAssignees),
  get('/', { allow: 'users.view', query: userList.query, page: User }, async (ctx, { query }) => {
    const { rows, total } = await userList.page(ctx, query, selectUsers)
    return { rows: rows.map(presentUser), total }
  }),
  post('/', { allow: 'users.create', body: CreateUser, reply: User, status: 201, message: 'User created.' }, (ctx, { body }) =>
    createUser(ctx, body),
  ),
  get('/:id', { allow: 'users.view', reply: User }, async (ctx, { id }) => {
    await users.find(ctx, id)
    return showUser(ctx, id)
  }),
  put(
    '/:id',
    { allow: 'users.update', record: users.lock, body: UpdateUser, reply: User, message: 'User saved.' },
    (ctx, { record, body }) => updateUser(ctx, record, body),
  ),
  del('/:id', { allow: 'users.delete', record: users.lock, message: 'User deleted.' }, (ctx, { record }) =>
    deleteUser(ctx, record),
  ),
  post(
    '/:id/restore',
    { allow: 'users.restore', record: users.lockAny, reply: User, message: 'User restored.' },
    (ctx, { record }) => restoreUser(ctx, record),
  ),
  post(
    '/:id/suspend',
    { allow: 'users.suspend', record: users.lock, reply: User, message: 'User suspended.' },
    (ctx, { record }) => suspend(ctx, record),
  ),
  post(
    '/:id/unsuspend',
    { allow: 'users.suspend', record: users.lock, reply: User, message: 'Suspension lifted.' },
    (ctx, { record }) => unsuspend(ctx, record),
  ),
  post(
    '/:id/verify-email',
    { allow: 'users.update', record: users.lock, reply: User, message: 'Address verified.' },
    (ctx, { record }) => verifyUserEmail(ctx, record),
  ),
]
