import { z } from 'zod'
import { platform } from '#kernel/http/route.ts'
import { cloneRole, createRole, deleteRole, lockRole, roleList, showRole, updateRole } from './roles.ts'
import { CloneRole, CreateRole, MatrixItem, matrix, Role, RoleDetail, UpdateRole } from './schema.ts'

const { get, post, put, patch, del } = platform

const changing = { allow: 'roles.update', record: lockRole, body: UpdateRole, reply: Role, message: 'Role saved.' } as const
export default [
  get(
    '/permissions-matrix',
    {
      allow: 'roles.list',
      reply: z.array(MatrixItem),
      description: 'Answers all permissions, each with the roles that have it.',
    },
    async (ctx) => (await matrix.execute(ctx.tx)).rows,
  ),
  get('/', { allow: 'roles.list', query: roleList.query, page: Role }, (ctx, { query }) => roleList.page(ctx, query)),
  post('/', { allow: 'roles.create', body: CreateRole, reply: Role, status: 201, message: 'Role created.' }, (ctx, { body }) =>
    createRole(ctx, body),
  ),
  get('/:id', { allow: 'roles.read', reply: RoleDetail }, (ctx, { id }) => showRole(ctx, id)),
  put('/:id', changing, (ctx, { record, body }) => updateRole(ctx, record, body)),
  patch('/:id', changing, (ctx, { record, body }) => updateRole(ctx, record, body)),
  del('/:id', { allow: 'roles.delete', record: lockRole, message: 'Role deleted.' }, (ctx, { record }) =>
    deleteRole(ctx, record),
  ),
  post(
    '/:id/clone',
    {
      allow: 'roles.clone',
      record: lockRole,
      body: CloneRole,
      reply: Role,
      status: 201,
      message: 'Role copied.',
      description: 'Makes a new role with the permissions of this one.',
    },
    (ctx, { record, body }) => cloneRole(ctx, record, body),
  ),
]
