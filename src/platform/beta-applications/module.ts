import { type AuditEventNames, defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-53. Inviting requires the permission to update. */
const permissions = {
  list: 'See who applied for the beta',
  read: 'See an application',
  update: 'Judge applications and invite',
}

const auditEvents = {
  beta_application_judged: 'Beta application judged',
  beta_application_invited: 'Beta applicant invited',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'beta-applications', typeof permissions> {}
  interface AuditEvents extends AuditEventNames<typeof auditEvents> {}
}

export default defineModule({
  key: 'beta-applications',
  title: 'Founding beta',
  description: 'Who would like to be among the first, and who is invited.',
  path: '',
  permissions,
  auditEvents,
  jobs: () => import('./jobs.ts'),
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
