import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = { manage: 'Manage webhook endpoints of the platform, and see what was delivered' }

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'webhooks', typeof permissions> {}
}

export default defineModule({
  key: 'webhooks',
  title: 'Webhooks',
  description: 'Tells programs of what happens on the platform, as Standard Webhooks say how.',
  path: '/webhook-endpoints',
  permissions,
  webhooks: () => import('./messages.ts'),
  routes: () => import('./routes.ts'),
  start: () => import('./start.ts'),
  screen: () => import('./screen.ts'),
})
