/** What other modules may ask of vendors. */
import type { Ctx } from '#kernel/context.ts'

/** Vendors that documents already name, by their ids, for printing and mailing: they may have been deleted since. */
export async function vendorsEvenDeleted(ctx: Ctx, ids: number[]) {
  const rows = await ctx
    .from('vendors')
    .select(['id', 'name', 'email', 'phone', 'address', 'tax_id'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
