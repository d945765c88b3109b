/** Document numbers: a locked counter row per workspace and kind, taken inside the creating transaction: unique, without gaps. */
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'

/** How numbers look: what stands before them, and how many digits there are at least. */
export interface NumberFormat {
  prefix: string
  digits?: number
}

/**
 * The next number of a kind, for the statement that inserts what it numbers: `with counter as (count) insert … select value from
 * counter`. The counter's row is locked until the commit, so whoever numbers should have little left to do. `next` is a statement for the number alone.
 */
export function numberedFrom(ctx: Ctx, kind: string, { prefix, digits = 5 }: NumberFormat) {
  const counted = sql`
    insert into number_counters (tenant_id, kind, last) values (${ctx.tenant.id}, ${kind}, 1)
    on conflict (tenant_id, kind) do update set last = number_counters.last + 1`
  const value = sql<string>`${prefix}::text || lpad(last::text, greatest(${sql.lit(digits)}, length(last::text)), '0')`
  return { count: sql`${counted} returning last`, value, next: sql<{ number: string }>`${counted} returning ${value} as number` }
}
