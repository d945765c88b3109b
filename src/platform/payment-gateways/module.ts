import { type AuditEventNames, defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** BIL-07: `billing.manage` is accepted for each of them. */
const permissions = {
  list: 'See payment gateways',
  read: 'See how a payment gateway is set up, and its logs',
  update: 'Set up payment gateways',
}

const auditEvents = {
  payment_gateway_configured: 'Payment gateway set up',
  payment_gateway_mode_changed: 'Mode of a payment gateway changed',
  payment_gateway_enabled: 'Payment gateway enabled',
  payment_gateway_disabled: 'Payment gateway disabled',
  payment_gateway_made_default: 'Payment gateway made the default',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'payment-gateways', typeof permissions> {}
  interface AuditEvents extends AuditEventNames<typeof auditEvents> {}
}

export default defineModule({
  key: 'payment-gateways',
  title: 'Payment gateways',
  description: 'By whom workspaces pay.',
  permissions,
  auditEvents,
  start: () => import('./gateways.ts'),
  sealed: [() => import('./credentials.ts')],
  screen: () => import('./screen.ts'),
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
  demo: () => import('./demo.ts'),
})
