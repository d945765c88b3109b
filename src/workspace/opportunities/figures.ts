/** Statistics of opportunities: open, won and lost, and the value of the open ones. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import type { ListQuery } from '#kernel/records/listing.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { formatted, money } from '#kernel/values/fields.ts'
import { opportunityList } from './opportunities.ts'
import { statusOf } from './schema.ts'

/** Amounts are summed per currency. */
const Pipeline = z.object({
  currency: formatted('currency'),
  amount: money(),
  weighted_amount: money().meta({ description: 'Each amount counts by its probability; without one it counts nothing.' }),
})

export const opportunityStats = statsOf('OpportunityStats', opportunityList, {
  total: 'total_opportunities',
  mine: 'my_opportunities',
  more: {
    reply: {
      open: z.int(),
      won: z.int(),
      lost: z.int(),
      pipeline_value: z.array(Pipeline).describe('What open opportunities come to, by currency.'),
    },
    read: figures,
  },
})

async function figures(ctx: Ctx, query: ListQuery) {
  const { rows } = await sql<{ open: number; won: number; lost: number; pipeline_value: z.input<typeof Pipeline>[] }>`
    with staged as (
      select currency, amount, probability, ${statusOf} as status
      from opportunities join opportunity_stages s on s.tenant_id = ${ctx.tenant.id} and s.id = opportunities.stage_id
      where ${opportunityList.condition(ctx, query)}
    ), priced as (
      select currency, sum(amount)::text as amount, coalesce(round(sum(amount * probability) / 100, 4), 0)::text as weighted_amount
      from staged where status = 'open' and amount is not null group by currency
    )
    select count(*) filter (where status = 'open')::int as open, count(*) filter (where status = 'won')::int as won,
      count(*) filter (where status = 'lost')::int as lost,
      (select coalesce(json_agg(priced order by currency), '[]') from priced) as pipeline_value
    from staged`.execute(ctx.tx)
  return rows[0]!
}
