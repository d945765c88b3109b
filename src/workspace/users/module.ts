import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = {
  view: 'See users',
  create: 'Add users',
  update: 'Change users and verify their addresses',
  delete: 'Delete users',
  restore: 'Restore deleted users',
  export: 'Export users',
  suspend: 'Suspend users and lift suspensions',
  impersonate: 'Work as another user for an hour',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'users', typeof permissions> {}
  interface Subjects {
    user: true
    employee: true // from Employees, if installed
  }
}

declare module '#kernel/modules/events.ts' {
  interface Events {
    /** `create_employee`: also create an employee for the user (USR-07). */
    'user.created': { user_id: number; create_employee: boolean }
    /** A user's employee was chosen or cleared; Employees applies the change. */
    'user.employee_chosen': { user_id: number; employee_id: number | null }
    'user.suspended': { user_id: number }
    'user.deleted': { user_id: number }
  }
}

export default defineModule({
  key: 'users',
  title: 'Users',
  description: 'The people of the workspace.',
  core: true,
  requires: ['roles'],
  permissions,
  subjects: { user: async () => (await import('./users.ts')).users },
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  demo: () => import('./demo.ts'),
})
