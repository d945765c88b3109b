/** What other modules may ask of vendors. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'

/** A live vendor of the workspace; 422 on `vendor_id` otherwise (PO-06). */
export async function vendorOf(ctx: Ctx, id: number) {
  if (!ctx.entitled('vendors')) throw invalid({ vendor_id: 'The module Vendors is not installed in this workspace.' })
  const vendor = await select(ctx, id).where('deleted_at', 'is', null).executeTakeFirst()
  if (!vendor) throw invalid({ vendor_id: 'There is no such vendor in this workspace.' })
  return vendor
}

/** The vendor that a document already names: it may have been deleted since. */
export const vendorEvenDeleted = (ctx: Ctx, id: number) => select(ctx, id).executeTakeFirstOrThrow()

const select = (ctx: Ctx, id: number) =>
  ctx.tx
    .selectFrom('vendors')
    .select(['id', 'name', 'email', 'phone', 'address', 'tax_id'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
