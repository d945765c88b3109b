import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('employees'),
  create: 'Add employees and departments',
  update: 'Change employees and departments, and say which user an employee is',
  delete: 'Delete employees and departments',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'employees', typeof permissions> {}
  interface Subjects {
    employee: true
  }
}

export default defineModule({
  key: 'employees',
  title: 'Employees',
  description: 'Who works in the firm, in which departments, and who leads these.',
  position: 160,
  version: '1.0.0',
  category: 'People',
  path: '',
  uses: ['users'],
  permissions,
  everyday: ['view'], // not everybody may change departments and their managers
  subjects: { employee: async () => (await import('./employees.ts')).employees },
  placeholders: () => import('./placeholders.ts'),
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./demo.ts'),
})
