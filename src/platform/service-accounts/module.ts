import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = { manage: 'Manage service accounts of the platform and their API keys' }

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'service-accounts', typeof permissions> {}
}

export default defineModule({
  key: 'service-accounts',
  title: 'Service accounts',
  description: 'Accounts of programs that run the platform: with roles and API keys, without password and mailbox.',
  permissions,
  routes: () => import('./routes.ts'),
})
