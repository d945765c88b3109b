import { type AuditEventNames, defineModule } from '#kernel/modules/module.ts'

const auditEventsOfWorkspaces = { branded_domain_provisioned: 'TLS of the branded domain set up' }

declare module '#kernel/names.ts' {
  interface AuditEvents extends AuditEventNames<typeof auditEventsOfWorkspaces> {}
}

export default defineModule({
  key: 'branded-domains',
  title: 'Branded domains',
  description: "What the operator's edge tells of the workspaces' own hostnames.",
  path: '/tenants',
  uses: ['branded'],
  auditEventsOfWorkspaces,
  routes: () => import('./routes.ts'),
})
