import { z } from 'zod'
import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = { manage: 'Manage service accounts and their API keys' }

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'service-accounts', typeof permissions> {}
}

export default defineModule({
  key: 'service-accounts',
  title: 'Service accounts',
  description: 'Accounts of programs: with roles and API keys, without password and mailbox.',
  core: true,
  requires: ['roles', 'users'],
  permissions,
  everyday: [],
  settings: {
    platform_access: {
      schema: z.boolean('Must be true or false.'),
      default: true,
      title: 'Whether accounts of the platform may work in the workspace',
      ownerOnly: true,
    },
  },
  errorCodes: { PLATFORM_ACCESS_REFUSED: '403: the workspace refuses the platform, or this account of it.' },
  routes: () => import('./routes.ts'),
})
