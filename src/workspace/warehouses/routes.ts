import { recordRoutes } from '#kernel/http/record-routes.ts'
import { CreateWarehouse } from './schema.ts'
import { createWarehouse, refuseDeletion, removeWarehouse, updateWarehouse, warehouseList, warehouses } from './warehouses.ts'

export default recordRoutes(warehouses, {
  list: warehouseList,
  body: CreateWarehouse,
  create: createWarehouse,
  update: updateWarehouse,
  remove: removeWarehouse,
  guards: { remove: refuseDeletion },
})
