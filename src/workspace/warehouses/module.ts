import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = recordPermissions('warehouses')

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'warehouses', typeof permissions> {}
  interface Subjects {
    warehouse: true
  }
}

declare module '#kernel/modules/events.ts' {
  interface Events {
    /** May it go to the trash? Whoever still needs it refuses, and changes nothing. */
    'warehouse.deleting': { warehouse_id: number }
    /** It goes to the trash. */
    'warehouse.deleted': { warehouse_id: number }
    /** It takes no part in anything new any more. */
    'warehouse.deactivated': { warehouse_id: number }
  }
}

export default defineModule({
  key: 'warehouses',
  title: 'Warehouses',
  description: 'Where the firm keeps its stock.',
  version: '1.0.0',
  category: 'Purchasing and stock',
  permissions,
  subjects: { warehouse: async () => (await import('./warehouses.ts')).warehouses },
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
