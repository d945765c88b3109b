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
    /** May it go to the trash? Whoever still needs it refuses, and changes nothing. */
    'product.deleting': { product_id: number }
    /** It goes to the trash. */
    'product.deleted': { product_id: number }
    /** Its stock is not kept any more. */
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
