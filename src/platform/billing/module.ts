import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-51. Also accepted for the permissions of payment gateways (BIL-07). */
const permissions = { manage: 'Manage payment gateways' }

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'billing', typeof permissions> {}
}

export default defineModule({
  key: 'billing',
  title: 'Billing',
  description: 'What workspaces are billed for the modules that they have bought.',
  uses: ['module-subscriptions'],
  permissions,
  jobs: () => import('./jobs.ts'),
  demo: () => import('./demo.ts'),
})
