import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = { manage: 'Manage webhook endpoints, and see what was delivered' }

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'webhooks', typeof permissions> {}
}

export default defineModule({
  key: 'webhooks',
  title: 'Webhooks',
  description: 'Tells programs of events, as Standard Webhooks say how.',
  core: true,
  requires: ['events'],
  path: '/webhook-endpoints',
  permissions,
  everyday: [],
  webhooks: () => import('./messages.ts'),
  screen: () => import('./screen.ts'),
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
  start: () => import('./start.ts'),
})
