import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-52. */
const permissions = { list: 'See payments', read: 'See a payment', update: 'Change payments' }

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'payments', typeof permissions> {}
}

export default defineModule({
  key: 'payments',
  title: 'Payments',
  description: 'What workspaces have paid, and what failed. Read only, as the invoices are.',
  path: '',
  uses: ['billing'],
  permissions,
  routes: () => import('./routes.ts'),
})
