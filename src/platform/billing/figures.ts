/** What the platform earns. Figures are of one currency: amounts in others are not added up, nor converted. */
import { sql } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { decimal, roundTo } from '#kernel/values/money.ts'
import { type Cycle, dayOf } from './periods.ts'

/** Monthly recurring revenue by currency: what active, billed subscriptions cost in a month, a year counted as twelve. */
export async function recurringRevenue({ tx }: BaseCtx): Promise<{ currency: string; mrr: string }[]> {
  const { rows } = await sql<{ currency: string; billing_cycle: Cycle; price: string }>`
    select currency, billing_cycle, sum(price) as price from module_subscriptions
    where status = 'active' and anchor_on is not null group by 1, 2 order by 1`.execute(tx)
  const sums = Map.groupBy(rows, ({ currency }) => currency)
  return [...sums].map(([currency, parts]) => {
    const monthly = parts.map(({ billing_cycle, price }) =>
      billing_cycle === 'yearly' ? decimal(price).div(12) : decimal(price),
    )
    return {
      currency,
      mrr: roundTo(
        currency,
        monthly.reduce((sum, part) => sum.plus(part), decimal(0)),
      ).toFixed(),
    }
  })
}

/** The last twelve months up to now, `YYYY-MM`, the oldest first. */
export const lastMonths = (now: string): string[] => {
  const month = Temporal.PlainYearMonth.from(dayOf(now).slice(0, 7))
  return Array.from({ length: 12 }, (_, n) => month.subtract({ months: 11 - n }).toString())
}

/** What was billed in each of the last twelve months, in one currency, without what was written off. Months without are 0. */
export async function billedByMonth({ tx, now }: BaseCtx, currency: string): Promise<{ month: string; amount: number }[]> {
  const months = lastMonths(now)
  const { rows } = await sql<{ month: string; amount: string }>`
    select to_char(issued_at at time zone 'UTC', 'YYYY-MM') as month, trim_scale(sum(total)) as amount from ledger_invoices
    where currency = ${currency} and status <> 'uncollectible' and issued_at >= ${`${months[0]}-01T00:00:00Z`}
    group by 1`.execute(tx)
  const byMonth = new Map(rows.map(({ month, amount }) => [month, Number(amount)]))
  return months.map((month) => ({ month, amount: byMonth.get(month) ?? 0 }))
}
