import { type AuditEventNames, defineModule, type PermissionNames } from '#kernel/modules/module.ts'

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

const auditEvents = {
  module_created: 'Module added to the catalogue',
  module_updated: 'Module changed in the catalogue',
  module_deleted: 'Module deleted from the catalogue',
  module_restored: 'Module restored to the catalogue',
  module_deleted_for_good: 'Module deleted from the catalogue for good',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'modules', typeof permissions> {}
  interface AuditEvents extends AuditEventNames<typeof auditEvents> {}
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
  auditEvents,
  start: () => import('./start.ts'),
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
