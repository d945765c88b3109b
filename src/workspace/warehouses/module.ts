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
    /** Emitted before a deletion. A listener that still needs the warehouse throws; none may change data. */
    'warehouse.deleting': { warehouse_id: number }
    /** Emitted when it is moved to the trash. */
    'warehouse.deleted': { warehouse_id: number }
    /** Emitted when it is deactivated: it can't be used in new records. */
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
