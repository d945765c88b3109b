import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = { view: 'See the audit log' }

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'audit-logs', typeof permissions> {}
}

export default defineModule({
  key: 'audit-logs',
  title: 'Audit log',
  description: 'Who did what that an auditor would ask about.',
  core: true,
  permissions,
  routes: () => import('./routes.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./demo.ts'),
})
