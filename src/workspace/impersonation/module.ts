import { type AuditEventNames, defineModule } from '#kernel/modules/module.ts'

const auditEvents = {
  user_impersonation_started: 'Impersonation of a user started',
  user_impersonation_ended: 'Impersonation of a user ended',
}

declare module '#kernel/names.ts' {
  interface AuditEvents extends AuditEventNames<typeof auditEvents> {}
}

/** Its permission is `users.impersonate`, declared by the users module, as the contract names it. */
export default defineModule({
  key: 'impersonation',
  title: 'Impersonation',
  description: 'Working as another user for an hour, with a reason and a trace.',
  core: true,
  path: '',
  requires: ['users', 'roles'],
  auditEvents,
  routes: () => import('./routes.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./demo.ts'),
})
