import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-52. The installation route is below /tenants. */
const permissions = {
  list: 'See subscriptions',
  create: 'Install modules in workspaces',
  read: 'See a subscription',
  update: 'Change and cancel subscriptions',
  delete: 'Delete subscriptions',
  deactivate: 'Deactivate modules of workspaces',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'module-subscriptions', typeof permissions> {}
}

export default defineModule({
  key: 'module-subscriptions',
  title: 'Module subscriptions',
  description: 'Which modules workspaces have, since when and until when, and how they are billed.',
  permissions,
  routes: () => import('./routes.ts'),
})
