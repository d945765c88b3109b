/** Document numbers: a locked counter row per workspace and kind, taken inside the creating transaction: unique, without gaps. */
import type { Ctx } from '../context.ts'

/** The next number of a kind, as `<prefix><at least so many digits>`. Holds the counter's row until the transaction ends. */
export async function nextNumber(ctx: Ctx, kind: string, prefix: string, digits = 5) {
  const { last } = await ctx.tx
    .insertInto('number_counters')
    .values({ tenant_id: ctx.tenant.id, kind, last: 1 })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'kind']).doUpdateSet((eb) => ({ last: eb('number_counters.last', '+', 1) })),
    )
    .returning('last')
    .executeTakeFirstOrThrow()
  return `${prefix}${String(last).padStart(digits, '0')}`
}
