/** Revenue figures. Each is in one currency: other currencies are neither added nor converted. */
import { sql } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { decimal, minorUnits, roundTo } from '#kernel/values/money.ts'
import { type Cycle, dayOf } from './periods.ts'

/** SQL expression: refunded part of an invoice, at most its total. `invoice` is its alias in scope. */
export const refundedOf = (invoice: string) =>
  sql<string>`select least(coalesce(sum(p.amount_refunded), 0), ${sql.ref(`${invoice}.total`)}) from ledger_payments p
    where p.tenant_id = ${sql.ref(`${invoice}.tenant_id`)} and p.invoice_id = ${sql.ref(`${invoice}.id`)} and p.amount_refunded > 0`

/**
 * Returns the monthly recurring revenue by currency: the monthly cost of active, billed subscriptions, a year counted as twelve
 * months. Archived or deleted workspaces and modules that are no longer billable don't count, because they aren't billed.
 */
export async function recurringRevenue({ tx }: BaseCtx): Promise<{ currency: string; mrr: string }[]> {
  const { rows } = await sql<{ currency: string; billing_cycle: Cycle; price: string }>`
    select s.currency, s.billing_cycle, sum(s.price) as price from module_subscriptions s
    join tenants t on t.id = s.tenant_id join modules m on m.id = s.module_id and m.is_billable
    where s.status = 'active' and s.anchor_on is not null and t.deleted_at is null and t.archived_at is null
    group by 1, 2 order by 1`.execute(tx)
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

/** Returns the last twelve months including the current one, `YYYY-MM`, oldest first. */
export const lastMonths = (now: string): string[] => {
  const month = Temporal.PlainYearMonth.from(dayOf(now).slice(0, 7))
  return Array.from({ length: 12 }, (_, n) => month.subtract({ months: 11 - n }).toString())
}

/**
 * Returns the amounts billed in the last twelve months in one currency, without tax and write-offs. Refunds and credits for
 * unused days reduce the month of their invoice. Months without invoices are 0.
 */
export async function billedByMonth({ tx, now }: BaseCtx, currency: string): Promise<{ month: string; amount: number }[]> {
  const months = lastMonths(now)
  const since = `${months[0]}-01T00:00:00Z`
  const { rows } = await sql<{ month: string; amount: string }>`
    select to_char(i.issued_at at time zone 'UTC', 'YYYY-MM') as month, trim_scale(round(
      sum(i.subtotal * greatest(i.total - (${refundedOf('i')}) - coalesce(c.amount, 0), 0) / i.total), ${minorUnits(currency)}::int)) as amount
    from ledger_invoices i
    left join (
      select tenant_id, invoice_id, sum(amount) as amount from ledger_credits where reason = 'unused_period' and created_at >= ${since} group by 1, 2
    ) c on c.tenant_id = i.tenant_id and c.invoice_id = i.id
    where i.currency = ${currency} and i.status <> 'uncollectible' and i.issued_at >= ${since}
    group by 1`.execute(tx)
  const byMonth = new Map(rows.map(({ month, amount }) => [month, Number(amount)]))
  return months.map((month) => ({ month, amount: byMonth.get(month) ?? 0 }))
}
