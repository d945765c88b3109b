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
  version: '1.0.0',
  uses: ['employees'],
  permissions,
  subjects: { asset: async () => (await import('./assets.ts')).assets },
  routes: () => import('./routes.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./fixtures.ts'),
})
