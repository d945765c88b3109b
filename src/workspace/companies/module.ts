import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('companies'),
  assign: 'Give companies to somebody, and see those of everybody',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'companies', typeof permissions> {}
  interface Subjects {
    company: true
  }
}

export default defineModule({
  key: 'companies',
  title: 'Companies',
  description: 'Firms that the firm deals with.',
  version: '1.2.0',
  defaultIncluded: true,
  permissions,
  subjects: { company: async () => (await import('./companies.ts')).companies },
  routes: () => import('./routes.ts'),
  demo: () => import('./fixtures.ts'),
})
