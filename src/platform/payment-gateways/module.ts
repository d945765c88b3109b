import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** BIL-07: `billing.manage` is accepted for each of them. */
const permissions = {
  list: 'See payment gateways',
  read: 'See how a payment gateway is set up, and its logs',
  update: 'Set up payment gateways',
}

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'payment-gateways', typeof permissions> {}
}

export default defineModule({
  key: 'payment-gateways',
  title: 'Payment gateways',
  description: 'By whom workspaces pay.',
  permissions,
  start: () => import('./gateways.ts'),
  sealed: [() => import('./credentials.ts')],
  screen: () => import('./screen.ts'),
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
  demo: () => import('./demo.ts'),
})
