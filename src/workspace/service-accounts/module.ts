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
  routes: () => import('./routes.ts'),
})
