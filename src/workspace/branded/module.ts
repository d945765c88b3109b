import { type AuditEventNames, defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = {
  view: "See the workspace's own domain and what its DNS must say",
  manage: "Claim, verify and remove the workspace's own domain",
}

const auditEvents = {
  branded_domain_claimed: 'Branded domain claimed',
  branded_domain_verified: 'Branded domain verified',
  branded_domain_lost: 'Branded domain lost',
  branded_domain_removed: 'Branded domain removed',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'branded', typeof permissions> {}
  interface AuditEvents extends AuditEventNames<typeof auditEvents> {}
}

export default defineModule({
  key: 'branded',
  title: 'Branded domain',
  description: 'The workspace under a hostname of its own.',
  version: '1.0.0',
  category: 'Workspace',
  permissions,
  auditEvents,
  everyday: [],
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
  demo: () => import('./demo.ts'),
})
