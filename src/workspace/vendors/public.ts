/** Exports for other modules. */
import type { Ctx } from '#kernel/context.ts'

/** Returns vendors of existing documents by id, for printing and mailing, including deleted ones. */
export async function vendorsEvenDeleted(ctx: Ctx, ids: number[]) {
  const rows = await ctx
    .from('vendors')
    .select(['id', 'name', 'email', 'phone', 'address', 'tax_id'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Returns the ids of live vendors with one of these tax ids (upper-case letters and digits only) or names. At most three of each,
 * because callers need a unique match.
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
