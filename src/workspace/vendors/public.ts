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

/**
 * The ids of live vendors that have one of these tax ids (capital letters and digits alone) or bear one of these names; at most three of each, since
 * whoever asks means one.
 */
export async function vendorsKnownAs(ctx: Ctx, taxIds: string[], names: string[]) {
  const known = async (column: 'tax_key' | 'name', values: string[]) => {
    if (!values.length) return []
    const rows = await ctx
      .from('vendors')
      .select('id')
      .where(column, 'in', values)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .limit(3)
      .execute()
    return rows.map(({ id }) => id)
  }
  return { byTaxId: await known('tax_key', taxIds), byName: await known('name', names) }
}
