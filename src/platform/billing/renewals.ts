/**
 * Renewals. Each subscription is moved from the end of its period into the next, as often as due: after a downtime it catches up
 * period by period. Several workers may run at once: each takes accounts that no other has locked, and a unique constraint
 * prevents billing a period twice.
 */
import { sql } from 'kysely'
import type { BaseCtx, Services } from '#kernel/context.ts'
import { batchByBatch } from '#kernel/jobs/one-by-one.ts'
import { LIVE } from '#kernel/modules/subscriptions.ts'
import { byWorkspace, lockAcross } from '#kernel/tenancy/across.ts'
import { type Account, accountIn, lockAccount } from './accounts.ts'
import type { Line } from './invoicing.ts'
import { billedFrom, dayOf } from './periods.ts'
import { bill, firstPeriod, lineOf, type Module, priceIn, type Subscription, UNBILLED } from './selling.ts'
import { noteEvents, type SubscriptionEvent } from './subscription-events.ts'

/** Number of accounts per transaction. */
const BATCH = 50

/** Renews due subscriptions, batch by batch, until there are none. */
export const renewDue = (services: Services, signal?: AbortSignal) =>
  batchByBatch<Account>(services, {
    size: BATCH,
    find: lockDueAccounts,
    work: renewAccounts,
    failing: 'an account could not be renewed',
    nameOf: ({ tenant_id, currency }) => ({ tenant_id, currency }),
    signal,
  })

/** Due subscription. `is_closed` means that the workspace is deleted or archived: its periods pass without being billed. */
type Due = Subscription &
  Pick<Module, 'name' | 'monthly_price' | 'yearly_price' | 'is_billable'> & { module_currency: string; is_closed: boolean }
type Ended = Pick<Subscription, 'tenant_id' | 'id'>

/** Renews everything due in a locked account, so that a change starts from today's state. */
export async function bringUpToDate(ctx: BaseCtx, account: Account) {
  while ((await renewAccounts(ctx, [account])) > 0);
}

/** Subscription with the account of its currency, both locked. */
export interface Billed {
  subscription: Subscription
  account: Account
}

/**
 * Locks a subscription after its account, as all billing code does, and renews what is due. The currency is checked again after
 * the lock, because a renewal may have moved the subscription to another account. Undefined if it doesn't exist.
 */
export async function lockBilled(
  ctx: BaseCtx,
  { tenant_id, id }: Pick<Subscription, 'tenant_id' | 'id'>,
): Promise<Billed | undefined> {
  const found = ctx.tx.selectFrom('module_subscriptions').selectAll().where('tenant_id', '=', tenant_id).where('id', '=', id)
  let subscription = await found.executeTakeFirst()
  while (subscription) {
    const account = await lockAccount(ctx, tenant_id, subscription.currency)
    await bringUpToDate(ctx, account)
    subscription = await found.forUpdate().executeTakeFirst()
    if (subscription?.currency === account.currency) return { subscription, account }
  }
  return undefined
}

/** Renews each due subscription of locked accounts by one period. Returns how many were due. */
async function renewAccounts(ctx: BaseCtx, accounts: Account[]): Promise<number> {
  const due = accounts.length ? await dueOf(ctx, accounts) : []
  if (!due.length) return 0
  const ending = due.filter(({ cancel_at_period_end }) => cancel_at_period_end)
  const renewed: Subscription[] = []
  const lines: Line[] = []
  for (const one of due) {
    if (one.cancel_at_period_end) continue
    const account = accounts.find(({ tenant_id, currency }) => tenant_id === one.tenant_id && currency === one.currency)!
    const next = await nextPeriod(ctx, account, one)
    renewed.push(next)
    if (next.anchor_on !== null && !one.is_closed) lines.push(lineOf(next, one.name))
  }
  await end(ctx, ending)
  await store(ctx, renewed)
  await noteEvents(
    ctx,
    due.map((one): SubscriptionEvent => ({ tenant_id: one.tenant_id, subscription_id: one.id, event: eventOf(one) })),
  )
  await bill(ctx, lines)
  return due.length
}

const eventOf = ({ cancel_at_period_end, status }: Due) =>
  cancel_at_period_end ? 'cancelled' : status === 'trialing' ? 'trial_ended' : 'renewed'

/** Locks the next accounts with something due, by workspace. */
const lockDueAccounts = (ctx: BaseCtx, limit: number, behind: Account | undefined): Promise<Account[]> =>
  lockAcross(ctx, async (within, lock) => {
    const { rows } = await sql<Account>`
      select a.* from billing_accounts a
      where (a.tenant_id, a.currency) in (
        select s.tenant_id, s.currency from module_subscriptions s where s.status in (${sql.join(LIVE)}) and s.period_end <= ${dayOf(ctx.now)})
        and ${within('a')} ${behind ? sql`and (a.tenant_id, a.currency) > (${behind.tenant_id}, ${behind.currency})` : sql``}
      order by a.tenant_id, a.currency limit ${limit} ${lock ? sql`for update skip locked` : sql``}`.execute(ctx.tx)
    return rows
  })

/** Reads due subscriptions after the lock: another worker may have renewed them. */
const dueOf = (ctx: BaseCtx, accounts: Account[]): Promise<Due[]> =>
  byWorkspace(ctx, accounts, async (some, within) => {
    const those = JSON.stringify(some.map(({ tenant_id, currency }) => ({ tenant_id, currency })))
    const { rows } = await sql<Due>`
    select s.*, m.name, m.monthly_price, m.yearly_price, m.is_billable, m.currency as module_currency, (t.deleted_at is not null or t.archived_at is not null) as is_closed from module_subscriptions s
    join jsonb_to_recordset(${those}::jsonb) as a(tenant_id bigint, currency text) on a.tenant_id = s.tenant_id and a.currency = s.currency
    join modules m on m.id = s.module_id join tenants t on t.id = s.tenant_id
    where s.status in (${sql.join(LIVE)}) and s.period_end <= ${dayOf(ctx.now)} and ${within('s')}
    order by s.tenant_id, s.id for update of s`.execute(ctx.tx)
    return rows
  })

/**
 * Returns a subscription in its next period, at the catalogue's price and currency of that day. After a trial it is the first
 * period; after a change of cycle one of the new cycle, if the module is still sold in it. A module that is no longer billable
 * has no period.
 */
async function nextPeriod(ctx: BaseCtx, account: Account, one: Due): Promise<Subscription> {
  const day = one.period_end!
  if (!one.is_billable) return { ...one, ...UNBILLED }
  if (one.status === 'trialing') return { ...one, status: 'active', ...(await firstPeriod(ctx, account, one, day)) }
  const currency = one.module_currency
  const price = one.next_cycle ? priceIn({ ...one, currency }, one.next_cycle) : undefined
  if (one.next_cycle && price !== undefined) {
    const changed = { ...one, billing_cycle: one.next_cycle, next_cycle: null, price, currency, term: one.term + 1 }
    return { ...changed, ...(await firstPeriod(ctx, await accountIn(ctx, account, currency), changed, day)) }
  }
  const { start, end } = billedFrom(day, {
    anchor: one.anchor_on!,
    cycle: one.billing_cycle,
    price: one.price,
    currency: one.currency,
  })
  return { ...one, next_cycle: null, period_start: start, period_end: end }
}

async function store(ctx: BaseCtx, renewed: Subscription[]) {
  if (!renewed.length) return
  await byWorkspace(ctx, renewed, async (some, within) => {
    await sql`
      update module_subscriptions s set status = g.status, billing_cycle = g.billing_cycle, next_cycle = g.next_cycle, price = g.price, currency = g.currency,
        term = g.term, anchor_on = g.anchor_on, period_start = g.period_start, period_end = g.period_end, updated_at = ${ctx.now}
      from jsonb_populate_recordset(null::module_subscriptions, ${JSON.stringify(some)}::jsonb) g
      where s.tenant_id = g.tenant_id and s.id = g.id and ${within('s')}`.execute(ctx.tx)
    return []
  })
}

async function end({ tx, now }: BaseCtx, ending: Ended[]) {
  for (const { tenant_id, id } of ending)
    await tx
      .updateTable('module_subscriptions')
      .set({ status: 'cancelled', ended_at: now, updated_at: now })
      .where('tenant_id', '=', tenant_id)
      .where('id', '=', id)
      .execute()
}
