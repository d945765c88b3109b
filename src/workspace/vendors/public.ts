/** What other modules may ask of vendors. */
import type { Ctx } from '#kernel/context.ts'

/** The vendor that a document already names, for printing and mailing: it may have been deleted since. */
export const vendorEvenDeleted = (ctx: Ctx, id: number) =>
  ctx.from('vendors').select(['id', 'name', 'email', 'phone', 'address', 'tax_id']).where('id', '=', id).executeTakeFirstOrThrow()
