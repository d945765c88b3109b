import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('contacts'),
  assign: 'Give contacts to somebody, and see those of everybody',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'contacts', typeof permissions> {}
  interface Subjects {
    contact: true
  }
}

export default defineModule({
  key: 'contacts',
  title: 'Contacts',
  description: 'People the firm deals with.',
  version: '1.5.0',
  defaultIncluded: true,
  uses: ['companies'],
  permissions,
  subjects: { contact: async () => (await import('./contacts.ts')).contacts },
  routes: () => import('./routes.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./fixtures.ts'),
})
