import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = {
  view: "See the workspace's own domain and what its DNS must say",
  manage: "Claim, verify and remove the workspace's own domain",
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'branded', typeof permissions> {}
}

export default defineModule({
  key: 'branded',
  title: 'Branded domain',
  description: 'The workspace under a hostname of its own.',
  version: '1.0.0',
  category: 'Workspace',
  permissions,
  everyday: [],
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
  demo: () => import('./demo.ts'),
})
