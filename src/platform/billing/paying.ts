/** Effects of paid and failed invoices on their subscriptions. Callers must have locked the account. */
import { sql } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { mailFailure } from './mailing.ts'
import { noteEvents, type SubscriptionEvent } from './subscription-events.ts'

const DAY = 86_400
/** Days after the first failure on which a charge is retried. */
const RETRY_DAYS = [1, 3, 7, 14]
/** Days after the first failure on which an invoice is written off and its subscriptions expire. */
export const EXPIRY_DAYS = 21

interface Key {
  tenant_id: number
  id: number
}

/**
 * Adds a payment to an invoice. Once it is paid in full, its subscriptions are no longer past due. The result of a pending
 * payment is still checked.
 */
export async function payInvoice(ctx: BaseCtx, { tenant_id, id }: Key, amount: string) {
  const { rows } = await sql<{ status: string }>`
    update ledger_invoices set amount_paid = amount_paid + ${amount}, updated_at = ${ctx.now},
      status = case when balance_due = ${amount} then 'paid' else status end,
      paid_at = case when balance_due = ${amount} then ${ctx.now}::timestamptz end,
      next_attempt_at = case when balance_due = ${amount} and not exists (
        select from ledger_payments p where p.tenant_id = ${tenant_id} and p.invoice_id = ${id} and p.status = 'pending') then null else next_attempt_at end
    where tenant_id = ${tenant_id} and id = ${id} returning status`.execute(ctx.tx)
  if (rows[0]?.status !== 'paid') return
  const recovered = await sql<{ id: number }>`
    update module_subscriptions s set status = 'active', updated_at = ${ctx.now}
    where s.tenant_id = ${tenant_id} and s.status = 'past_due'
      and s.id in (select l.subscription_id from ledger_lines l where l.tenant_id = ${tenant_id} and l.invoice_id = ${id})
      and not exists (select from ledger_lines l join ledger_invoices i on i.tenant_id = ${tenant_id} and i.id = l.invoice_id
        where l.tenant_id = ${tenant_id} and l.subscription_id = s.id and i.status = 'open' and i.failing_since is not null)
    returning s.id`.execute(ctx.tx)
  await noteEvents(ctx, recovered.rows.map(eventOf(tenant_id, 'recovered', id)))
}

/** Records a failed charge of an open invoice: its subscriptions become past due, and it is retried by schedule. */
export async function failInvoice(ctx: BaseCtx, { tenant_id, id }: Key) {
  const invoice = await ctx.tx
    .selectFrom('ledger_invoices')
    .select(['failures', 'failing_since'])
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .where('status', '=', 'open')
    .forUpdate()
    .executeTakeFirst()
  if (!invoice) return
  const failing_since = invoice.failing_since ?? ctx.now
  const next = nextAttempt(ctx.now, failing_since, invoice.failures)
  await ctx.tx
    .updateTable('ledger_invoices')
    .set({
      failures: invoice.failures + 1,
      failing_since,
      next_attempt_at: next,
      updated_at: ctx.now,
    })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .execute()
  await noteEvents(ctx, await changeThoseOn(ctx, { tenant_id, id }, 'active', 'past_due'))
  await mailFailure(ctx, { tenant_id, id })
}

/** Returns the next attempt by schedule, at least a day from now even after a downtime. null after the last one. */
function nextAttempt(now: string, failingSince: string, failures: number) {
  const days = RETRY_DAYS[failures]
  if (days === undefined) return null
  return [plusSeconds(failingSince, days * DAY), plusSeconds(now, DAY)].sort().at(-1)!
}

/** Writes off an unpaid invoice: its subscriptions expire. Returns their ids. */
export async function giveUpInvoice(ctx: BaseCtx, { tenant_id, id }: Key) {
  await ctx.tx
    .updateTable('ledger_invoices')
    .set({ status: 'uncollectible', next_attempt_at: null, updated_at: ctx.now })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .execute()
  const expired = await changeThoseOn(ctx, { tenant_id, id }, 'past_due', 'expired')
  await noteEvents(ctx, expired)
  return expired.map(({ subscription_id }) => subscription_id)
}

/** Changes the status of an invoice's subscriptions from one value to another. */
async function changeThoseOn(ctx: BaseCtx, { tenant_id, id }: Key, from: string, to: 'past_due' | 'expired') {
  const { rows } = await sql<{ id: number }>`
    update module_subscriptions s set status = ${to}, updated_at = ${ctx.now}, ended_at = ${to === 'expired' ? ctx.now : null}::timestamptz
    where s.tenant_id = ${tenant_id} and s.status = ${from}
      and s.id in (select l.subscription_id from ledger_lines l where l.tenant_id = ${tenant_id} and l.invoice_id = ${id})
    returning s.id`.execute(ctx.tx)
  return rows.map(eventOf(tenant_id, to, id))
}

const eventOf =
  (tenant_id: number, event: SubscriptionEvent['event'], invoice_id: number) =>
  ({ id }: { id: number }): SubscriptionEvent => ({ tenant_id, subscription_id: id, event, properties: { invoice_id } })
