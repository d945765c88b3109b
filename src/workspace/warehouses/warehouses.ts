/** Warehouses. Their own rules: a code names one of them, and at most one is the default; the first one is. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { userRef } from '#kernel/records/embed.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Row, resource, revise } from '#kernel/records/resource.ts'
import type { CreateWarehouse, UpdateWarehouse } from './schema.ts'

export const warehouses = resource({
  table: 'warehouses',
  noun: 'warehouse',
  tallied: [],
  unique: { warehouses_code: { code: 'Another warehouse of this workspace has this code.' } },
})

export const warehouseList = listing(warehouses, {
  sorts: ['created_at', 'updated_at', 'name', 'code'],
  search: true,
  filters: { is_active: filter.flag('is_active'), is_default: filter.flag('is_default') },
})

export const selectWarehouses = (ctx: Ctx) =>
  ctx.tx.selectFrom('warehouses').selectAll('warehouses').select(userRef('warehouses', 'created_by').as('creator'))

/** One warehouse as the API shows it. The caller has made sure that the actor may see it. */
export const showWarehouse = (ctx: Ctx, id: number) =>
  selectWarehouses(ctx)
    .where('warehouses.tenant_id', '=', ctx.tenant.id)
    .where('warehouses.id', '=', id)
    .executeTakeFirstOrThrow()

/** The first active one becomes the default unasked. 422 on `code` when it is taken. */
export async function createWarehouse(ctx: Ctx, body: z.output<typeof CreateWarehouse>) {
  refuseInactiveDefault(body)
  const before = await lockDefault(ctx)
  const isDefault = body.is_default || (body.is_active && !(before && before.deleted_at === null))
  if (isDefault && before) await revise(ctx, warehouses, before, { is_default: false })
  const { id } = await warehouses.insert(ctx, { ...body, is_default: isDefault })
  return showWarehouse(ctx, id)
}

/** Making it the default takes that from the one before. 422 on `code` when it is taken, on `is_active` for an inactive default. */
export async function updateWarehouse(ctx: Ctx, warehouse: Row<'warehouses'>, body: z.output<typeof UpdateWarehouse>) {
  refuseInactiveDefault({ ...warehouse, ...body })
  if (body.is_default && !warehouse.is_default) {
    const before = await lockDefault(ctx)
    if (before) await revise(ctx, warehouses, before, { is_default: false })
  }
  await revise(ctx, warehouses, warehouse, body)
  return showWarehouse(ctx, warehouse.id)
}

function refuseInactiveDefault(warehouse: { is_default?: boolean; is_active?: boolean }) {
  if (warehouse.is_default && !warehouse.is_active)
    throw invalid({ is_active: 'The default warehouse must be active. Make another one the default first.' })
}

/** The default, deleted or not. One transaction of the workspace at a time gets past here: the next one sees what this one chose. */
async function lockDefault(ctx: Ctx) {
  await sql`select pg_advisory_xact_lock(hashtextextended('default warehouse', ${ctx.tenant.id}))`.execute(ctx.tx)
  return ctx.tx
    .selectFrom('warehouses')
    .selectAll()
    .where('tenant_id', '=', ctx.tenant.id)
    .where('is_default', '=', true)
    .forUpdate()
    .executeTakeFirst()
}
