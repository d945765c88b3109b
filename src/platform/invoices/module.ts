import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-52. */
const permissions = { list: 'See invoices', read: 'See an invoice', update: 'Change invoices' }

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'invoices', typeof permissions> {}
}

export default defineModule({
  key: 'invoices',
  title: 'Invoices',
  description: 'What workspaces were billed. The ledger is read only: the billing engine writes it.',
  path: '',
  uses: ['billing'],
  permissions,
  routes: () => import('./routes.ts'),
})
