/** Warehouses. Codes are unique, and at most one warehouse is the default, initially the first one. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { emit } from '#kernel/modules/events.ts'
import { revise } from '#kernel/records/changes.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Changes, type Row, resource } from '#kernel/records/resource.ts'
import { createRecord } from '#kernel/records/saving.ts'
import { CreateWarehouse, Warehouse } from './schema.ts'

export const warehouses = resource({
  table: 'warehouses',
  module: 'warehouses',
  noun: 'warehouse',
  item: Warehouse,
  tallied: [],
  usable: (as) => sql`${sql.ref(`${as}.is_active`)}`,
  unique: { warehouses_code: { code: 'Another warehouse of this workspace has this code.' } },
})

export const warehouseList = listing(warehouses, {
  search: true,
  filters: { is_active: filter.flag('is_active'), is_default: filter.flag('is_default') },
})

/** Creates a warehouse; the first active one becomes the default automatically. 422 on a taken `code`. */
export async function createWarehouse(ctx: Ctx, body: z.output<typeof CreateWarehouse>) {
  refuseInactiveDefault(body)
  const before = await lockDefault(ctx)
  const is_default = body.is_default || (body.is_active && !(before && before.deleted_at === null))
  if (is_default && before) await revise(ctx, warehouses, before, { is_default: false })
  return createRecord(ctx, warehouses, CreateWarehouse, { ...body, is_default })
}

/**
 * Updates a warehouse. A new default replaces the former one. 422 on a taken `code`, and on `is_active` for an inactive default.
 */
export async function updateWarehouse(ctx: Ctx, warehouse: Row<'warehouses'>, body: Changes<'warehouses'>) {
  refuseInactiveDefault({ ...warehouse, ...body })
  if (warehouse.is_active && body.is_active === false) await emit(ctx, 'warehouse.deactivated', { warehouse_id: warehouse.id })
  if (body.is_default && !warehouse.is_default) {
    const before = await lockDefault(ctx)
    if (before) await revise(ctx, warehouses, before, { is_default: false })
  }
  await revise(ctx, warehouses, warehouse, body)
}

/** Lets other modules reject the deletion of a warehouse in use, with their reason. */
export const refuseDeletion = (ctx: Ctx, { id }: Row<'warehouses'>) => emit(ctx, 'warehouse.deleting', { warehouse_id: id })

export async function removeWarehouse(ctx: Ctx, warehouse: Row<'warehouses'>) {
  await emit(ctx, 'warehouse.deleted', { warehouse_id: warehouse.id })
  await warehouses.trash(ctx, warehouse)
}

function refuseInactiveDefault(warehouse: { is_default?: boolean; is_active?: boolean }) {
  if (warehouse.is_default && !warehouse.is_active)
    throw invalid({ is_active: 'The default warehouse must be active. Make another one the default first.' })
}

/** Returns the default warehouse, deleted or not, and serialises changes of it: the next transaction sees this one's choice. */
async function lockDefault(ctx: Ctx) {
  await sql`select pg_advisory_xact_lock(hashtextextended('default warehouse', ${ctx.tenant.id}))`.execute(ctx.tx)
  return ctx.from('warehouses').selectAll().where('is_default', '=', true).forUpdate().executeTakeFirst()
}
