import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = recordPermissions('products')

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'products', typeof permissions> {}
  interface Subjects {
    product: true
  }
}

declare module '#kernel/modules/events.ts' {
  interface Events {
    /** Emitted before a deletion. A listener that still needs the product throws; none may change data. */
    'product.deleting': { product_id: number }
    /** Emitted when it is moved to the trash. */
    'product.deleted': { product_id: number }
    /** Emitted when stock tracking is switched off. */
    'product.untracked': { product_id: number }
  }
}

export default defineModule({
  key: 'products',
  title: 'Products',
  description: 'What the firm buys, stocks and sells.',
  version: '1.0.0',
  category: 'Purchasing and stock',
  permissions,
  subjects: { product: async () => (await import('./products.ts')).products },
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  demo: () => import('./demo.ts'),
})
