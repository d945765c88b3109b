import { z } from 'zod'
import { lookupRoutes } from '#kernel/http/lookup-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { createRole, deleteRole, roleList, roles, updateRole } from './roles.ts'
import { CreateRole, PermissionEntry } from './schema.ts'

export default [
  workspace.get(
    '/permissions',
    {
      allow: 'roles.view',
      description: 'Answers all permissions that a role can have, with what each lets somebody do.',
      reply: z.array(PermissionEntry),
    },
    (ctx) => ctx.services.modules.permissions('workspace'),
  ),
  ...lookupRoutes(roles, '/roles', {
    list: roleList,
    body: CreateRole,
    allow: { view: 'roles.view', create: 'roles.create', update: 'roles.update', delete: 'roles.delete' },
    create: createRole,
    update: updateRole,
    remove: deleteRole,
    grants: true,
  }),
]
