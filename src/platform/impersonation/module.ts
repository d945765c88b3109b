import { type AuditEventNames, defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-53. */
const permissions = {
  start: 'Work in a workspace as its owner',
  end: 'End anybody’s impersonation',
  list: 'See who worked in a workspace as its owner',
}

const auditEventsOfWorkspaces = {
  impersonation_started: 'Impersonation of the owner started',
  impersonation_ended: 'Impersonation of the owner ended',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'impersonation', typeof permissions> {}
  interface AuditEvents extends AuditEventNames<typeof auditEventsOfWorkspaces> {}
}

export default defineModule({
  key: 'impersonation',
  title: 'Impersonation',
  description: 'Working in a workspace as its owner for an hour, with a reason and a trace.',
  path: '',
  permissions,
  auditEventsOfWorkspaces,
  jobs: () => import('./jobs.ts'),
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
