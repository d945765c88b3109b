/** Vendors: the smallest whole module. Its verbs are the kernel's; what is its own is the table and its columns. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { userRef } from '#kernel/records/embed.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Row, resource, revise } from '#kernel/records/resource.ts'
import type { CreateVendor, UpdateVendor } from './schema.ts'

export const vendors = resource({ table: 'vendors', noun: 'vendor', tallied: [] })

export const vendorList = listing(vendors, {
  sorts: ['created_at', 'updated_at', 'name', 'email'],
  search: true,
  filters: { is_active: filter.flag('is_active') },
})

export const selectVendors = (ctx: Ctx) =>
  ctx.tx.selectFrom('vendors').selectAll('vendors').select(userRef('vendors', 'created_by').as('creator'))

/** One vendor as the API shows it. The caller has made sure that the actor may see it. */
export const showVendor = (ctx: Ctx, id: number) =>
  selectVendors(ctx).where('vendors.tenant_id', '=', ctx.tenant.id).where('vendors.id', '=', id).executeTakeFirstOrThrow()

export async function createVendor(ctx: Ctx, body: z.output<typeof CreateVendor>) {
  const { id } = await vendors.insert(ctx, body)
  return showVendor(ctx, id)
}

export async function updateVendor(ctx: Ctx, vendor: Row<'vendors'>, body: z.output<typeof UpdateVendor>) {
  await revise(ctx, vendors, vendor, body)
  return showVendor(ctx, vendor.id)
}
