/**
 * Document numbers: one counter row per workspace and kind, locked within the creating transaction, so that numbers are unique
 * and without gaps.
 */
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'

/** Number format: the prefix, and the minimum number of digits. */
export interface NumberFormat {
  prefix: string
  digits?: number
}

/**
 * Returns SQL for the next number of a kind, for use in the inserting statement: `with counter as (count) insert … select value
 * from counter`. The counter row is locked until commit, so the transaction should end soon after. `next` is a statement that
 * only returns the number.
 */
export function numberedFrom(ctx: Ctx, kind: string, { prefix, digits = 5 }: NumberFormat) {
  const counted = sql`
    insert into number_counters (tenant_id, kind, last) values (${ctx.tenant.id}, ${kind}, 1)
    on conflict (tenant_id, kind) do update set last = number_counters.last + 1`
  const value = sql<string>`${prefix}::text || lpad(last::text, greatest(${sql.lit(digits)}, length(last::text)), '0')`
  return { count: sql`${counted} returning last`, value, next: sql<{ number: string }>`${counted} returning ${value} as number` }
}
