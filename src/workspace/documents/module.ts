import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = recordPermissions('documents')

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'documents', typeof permissions> {}
  interface Subjects {
    lead: true
    project: true
    employee: true
    asset: true
    task: true
  }
}

export default defineModule({
  key: 'documents',
  title: 'Documents',
  description: 'Files of the firm, in categories, linked to what they are about.',
  version: '1.3.0',
  category: 'Files',
  requires: ['storage'],
  uses: ['leads', 'contacts', 'companies', 'projects', 'employees', 'assets', 'tasks'],
  path: '',
  permissions,
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./demo/documents.ts'),
})
