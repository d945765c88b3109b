import { z } from 'zod'
import { workspace } from '#kernel/http/route.ts'
import { createRole, deleteRole, lockRole, roleList, selectRoles, showRole, updateRole } from './roles.ts'
import { CreateRole, PermissionEntry, Role, UpdateRole } from './schema.ts'

const { get, post, put, del } = workspace

export default [
  get('/permissions', { allow: 'roles.view', reply: z.array(PermissionEntry) }, (ctx) =>
    ctx.services.modules.permissions('workspace'),
  ),
  get('/roles', { allow: 'roles.view', query: roleList.query, page: Role }, (ctx, { query }) =>
    roleList.page(ctx, query, selectRoles),
  ),
  post(
    '/roles',
    { allow: 'roles.create', body: CreateRole, reply: Role, status: 201, message: 'Role created.' },
    (ctx, { body }) => createRole(ctx, body),
  ),
  get('/roles/:id', { allow: 'roles.view', reply: Role }, (ctx, { id }) => showRole(ctx, id)),
  put(
    '/roles/:id',
    { allow: 'roles.update', record: lockRole, body: UpdateRole, reply: Role, message: 'Role saved.' },
    (ctx, { record, body }) => updateRole(ctx, record, body),
  ),
  del('/roles/:id', { allow: 'roles.delete', record: lockRole, message: 'Role deleted.' }, (ctx, { record }) =>
    deleteRole(ctx, record),
  ),
]
