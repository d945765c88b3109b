import { workspace } from '#kernel/http/route.ts'
import { lifeRoutes } from '#kernel/records/routes.ts'
import { CreateWarehouse, UpdateWarehouse, Warehouse } from './schema.ts'
import { createWarehouse, selectWarehouses, showWarehouse, updateWarehouse, warehouseList, warehouses } from './warehouses.ts'

const { get, post, put } = workspace

export default [
  get('/', { allow: 'warehouses.view', query: warehouseList.query, page: Warehouse }, (ctx, { query }) =>
    warehouseList.page(ctx, query, selectWarehouses),
  ),
  post(
    '/',
    { allow: 'warehouses.create', body: CreateWarehouse, reply: Warehouse, status: 201, message: 'Warehouse created.' },
    (ctx, { body }) => createWarehouse(ctx, body),
  ),
  get('/:id', { allow: 'warehouses.view', reply: Warehouse }, async (ctx, { id }) => {
    await warehouses.find(ctx, id)
    return showWarehouse(ctx, id)
  }),
  put(
    '/:id',
    { allow: 'warehouses.update', record: warehouses.lock, body: UpdateWarehouse, reply: Warehouse, message: 'Warehouse saved.' },
    (ctx, { record, body }) => updateWarehouse(ctx, record, body),
  ),
  ...lifeRoutes({ of: warehouses, permissions: 'warehouses', show: showWarehouse, reply: Warehouse }),
]
