/** Counts of a list: the total, those assigned to the actor, and those in each status. */
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import type { Listing, ListQuery } from './listing.ts'

/** Counts of a list, with the reply of their route. */
export interface Stats {
  list: Listing
  reply: z.ZodObject
  read(ctx: Ctx, query: ListQuery): Promise<Record<string, number | string>>
}

interface StatsSpec<States extends readonly string[], More extends z.ZodRawShape> {
  /** Name of the total: `total_purchase_orders`. */
  total: string
  mine?: string
  states?: States
  /** Further figures under the same conditions. */
  more?: { reply: More; read(ctx: Ctx, query: ListQuery): Promise<z.input<z.ZodObject<More>>> }
}

/**
 * Counts under the list's own filters and visibility. `scope` is `org` if all records are counted, `mine` if only the actor's.
 */
export function statsOf<const States extends readonly string[] = [], More extends z.ZodRawShape = {}>(
  name: string,
  list: Listing<any, Ctx>,
  { total, mine, states, more }: StatsSpec<States, More>,
): Stats {
  const counted = [total, ...(mine ? [mine] : []), ...(states ?? [])]
  const reply = z
    .object({
      ...Object.fromEntries(counted.map((key) => [key, z.int()])),
      ...more?.reply,
      ...(mine ? { scope: z.enum(['org', 'mine']) } : {}),
    })
    .meta({ id: name })
  return {
    list,
    reply,
    async read(ctx, query) {
      const [counts, further] = await Promise.all([list.counts(ctx, query), more?.read(ctx, query)])
      const sum = (of: 'total' | 'mine') => counts.reduce((all, count) => all + count[of], 0)
      const having = (state: string) => counts.find(({ status }) => status === state)?.total ?? 0
      return {
        [total]: sum('total'),
        ...(mine ? { [mine]: sum('mine') } : {}),
        ...Object.fromEntries((states ?? []).map((state) => [state, having(state)])),
        ...further,
        ...(mine ? { scope: list.of.scope(ctx) ? 'mine' : 'org' } : {}),
      }
    },
  }
}
