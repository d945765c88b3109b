import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = {
  view: 'See stock, its movements and transfers',
  adjust: 'Correct stock by hand',
  transfer: 'Move stock between warehouses',
  delete: 'Delete transfers',
  restore: 'Restore deleted transfers',
  'force.delete': 'Delete transfers for good',
  export: 'Export stock and transfers',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'inventory', typeof permissions> {}
}

export default defineModule({
  key: 'inventory',
  title: 'Inventory',
  description: 'How much of each product lies in each warehouse, and how it came there.',
  version: '1.0.0',
  category: 'Purchasing and stock',
  requires: ['products'], // INVT-01
  uses: ['warehouses'],
  permissions,
  everyday: ['view', 'transfer'],
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  widgets: () => import('./widgets.ts'),
  commands: {
    stock: {
      says: 'compare stock with its movements, or make it anew from them (check or rebuild, --workspace SLUG)',
      load: () => import('./stock-command.ts'),
    },
  },
  demo: () => import('./demo/stock.ts'),
})
