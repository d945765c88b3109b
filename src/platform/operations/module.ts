import { type AuditEventNames, defineModule } from '#kernel/modules/module.ts'

const auditEvents = {
  jobs_retried: 'Failed jobs retried',
  jobs_discarded: 'Failed jobs discarded',
}

declare module '#kernel/names.ts' {
  interface AuditEvents extends AuditEventNames<typeof auditEvents> {}
}

export default defineModule({
  key: 'operations',
  title: 'Operations',
  description: 'The ways to the dashboards of metrics and of the queue, and what they show.',
  path: '',
  auditEvents,
  routes: () => import('./routes.ts'),
  start: () => import('./start.ts'),
})
