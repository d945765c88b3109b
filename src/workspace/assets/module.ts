import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = recordPermissions('assets')

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'assets', typeof permissions> {}
  interface Subjects {
    asset: true
  }
}

export default defineModule({
  key: 'assets',
  title: 'Assets',
  description: 'What the firm owns and works with, and who has it.',
  position: 150,
  version: '1.0.0',
  category: 'People',
  uses: ['employees'],
  permissions,
  subjects: { asset: async () => (await import('./assets.ts')).assets },
  notifications: { category: 'system', mentions: ['asset'] },
  routes: () => import('./routes.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./demo.ts'),
})
