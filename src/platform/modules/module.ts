import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-51. */
const permissions = {
  list: 'See the module catalogue',
  create: 'Add catalogue entries',
  read: 'See a catalogue entry',
  update: 'Change catalogue entries',
  delete: 'Delete catalogue entries',
  restore: 'Restore catalogue entries',
  'force.delete': 'Delete catalogue entries for good',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'modules', typeof permissions> {}
}

declare module '#kernel/database/channel.ts' {
  interface Topics {
    'catalogue.changed': null
  }
}

export default defineModule({
  key: 'modules',
  title: 'Module catalogue',
  description: 'What can be installed in workspaces.',
  permissions,
  start: () => import('./start.ts'),
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
