/** Issues invoices (BIL-05): one per workspace and currency of a batch, numbered without gaps, many in one statement. */
import { sql } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { platformSetting } from '#kernel/modules/platform-settings.ts'
import { type Decimal, decimal } from '#kernel/values/money.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { gatewayOfNewInvoices } from '#platform/payment-gateways/public.ts'

/** Payment term in days. */
const TERM_DAYS = 14
const DAY = 86_400

/** Period of a subscription to bill. */
export interface Line {
  tenant_id: number
  currency: string
  subscription_id: number
  term: number
  module_id: number
  /** Name of the module. */
  description: string
  billing_cycle: string
  period_start: string
  period_end: string
  amount: string
}

/**
 * Issues the invoices of these lines and returns their numbers. The accounts must be locked. The number counter stays locked
 * until the commit, so nothing slow may follow. A unique constraint rejects periods that were billed before. Groups with a total
 * of 0 get no invoice.
 */
export async function issueInvoices(ctx: BaseCtx, lines: Line[]): Promise<string[]> {
  const groups = [...Map.groupBy(lines, ({ tenant_id, currency }) => `${tenant_id} ${currency}`).values()]
    .map((group) => ({ ...group[0]!, group, subtotal: sumOf(group).toFixed() }))
    .filter(({ subtotal }) => decimal(subtotal).gt(0))
    .map((invoice, n) => ({ ...invoice, n: n + 1 }))
  if (!groups.length) return []
  const [prefix, gateway] = [await platformSetting(ctx, 'invoice_prefix'), await gatewayOfNewInvoices(ctx)]
  const invoices = groups.map(({ n, tenant_id, currency, subtotal }) => ({ n, tenant_id, currency, subtotal }))
  const { rows } = await sql<{ number: string }>`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(invoices)}::jsonb) as g(n bigint, tenant_id bigint, currency text, subtotal numeric)
    ), counter as (
      insert into ledger_counters (kind, last) values ('invoice', ${groups.length})
      on conflict (kind) do update set last = ledger_counters.last + excluded.last returning last - ${groups.length}::bigint as before
    ), made as (
      insert into ledger_invoices (tenant_id, number, tenant_name, tenant_email, gateway, currency, subtotal, issued_at, due_at, next_attempt_at, created_at, updated_at)
      select g.tenant_id, ${prefix}::text || lpad((c.before + g.n)::text, greatest(5, length((c.before + g.n)::text)), '0'),
        t.company_name, t.email, ${gateway.code}, g.currency, g.subtotal, ${ctx.now}::timestamptz, ${plusSeconds(ctx.now, TERM_DAYS * DAY)}::timestamptz,
        ${gateway.provider ? ctx.now : null}::timestamptz, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz
      from given g join tenants t on t.id = g.tenant_id cross join counter c
      returning tenant_id, id, currency, number
    ), lines as (
      insert into ledger_lines (tenant_id, invoice_id, subscription_id, term, module_id, description, billing_cycle, period_start, period_end, amount)
      select l.tenant_id, made.id, l.subscription_id, l.term, l.module_id, l.description, l.billing_cycle, l.period_start, l.period_end, l.amount
      from jsonb_to_recordset(${JSON.stringify(groups.flatMap(({ group }) => group))}::jsonb)
        as l(tenant_id bigint, currency text, subscription_id bigint, term integer, module_id bigint, description text, billing_cycle text, period_start date, period_end date, amount numeric)
      join made on made.tenant_id = l.tenant_id and made.currency = l.currency
      returning id
    ) select number from made order by number`.execute(ctx.tx)
  return rows.map(({ number }) => number)
}

const sumOf = (lines: Line[]): Decimal => lines.reduce((sum, { amount }) => sum.plus(amount), decimal(0))
