/**
 * Simulates a year of billing with ten subscriptions per workspace in two currencies. Modules are installed on any day, change
 * their cycle and are cancelled. Cards fail for weeks, replies are lost, payments take days, and webhooks arrive twice, late and
 * out of order. The ledger is then compared with sums computed here in integers, and with the provider's records.
 */
// CI stage: billing
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inPublic, onPlatform, originOf, type PlatformCtx, systemOperator } from '#kernel/context.ts'
import { startBilling } from '#test/billing-world.ts'
import { WEBHOOK_SECRET } from '#test/stand-ins/stripe.ts'
import { receive } from '../../public/payment-webhooks/webhook.ts'
import { changeCycle } from '../module-subscriptions/changing.ts'
import { cancel, deactivate } from '../module-subscriptions/ending.ts'
import { lockSubscription } from '../module-subscriptions/subscriptions.ts'
import { collectDue } from './collecting.ts'
import { plusDays } from './periods.ts'
import { renewDue } from './renewals.ts'
import { billNew, termsOf } from './selling.ts'
import { giveUpUnpaid } from './unpaid.ts'

const FIRST_DAY = '2027-01-01'
const DAYS = 366
/** `.ci/run` uses fifty. */
const WORKSPACES = Number(process.env.BILLED_WORKSPACES ?? 50)
const MODULES_EACH = 10

const world = await startBilling(`${FIRST_DAY}T00:00:00Z`)
const { services, stripe } = world
after(() => stripe.close())

/** Mulberry32, so that failures can be reproduced. */
let seed = 20_270_101
function random() {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}
const whole = (most: number) => Math.floor(random() * most)
const pick = <T>(from: T[]) => from[whole(from.length)]!
const shuffled = <T>(all: T[]) =>
  all
    .map((one) => [random(), one] as const)
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one)

const platform = <T>(work: (ctx: PlatformCtx) => Promise<T>) => onPlatform(originOf(services), systemOperator, 'write', work)
const { webhooks } = new (await import('stripe')).Stripe('sk_test_nothing')

async function deliver(event: object) {
  const payload = JSON.stringify(event)
  const timestamp = Math.floor(Date.parse(world.clock.now()) / 1000)
  const headers = { 'stripe-signature': webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET, timestamp }) }
  await inPublic(originOf(services), 'write', (ctx) => receive(ctx, 'stripe', Buffer.from(payload), headers))
}

/** Returns whether an event is the only source of a payment's result. */
const isOfSlow = (event: any) => stripe.slow.has(event.data.object.payment_method)

/** Runs work in parallel, as requests arrive in production. */
async function inParallel<T>(all: T[], work: (one: T) => Promise<unknown>) {
  const waiting = [...all]
  const one = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: 6 }, one))
}

let today = FIRST_DAY
const sold: number[] = []

interface Sale {
  tenant: number
  module_id: number
  cycle: 'monthly' | 'yearly'
  on: string
}

async function sell({ tenant, module_id, cycle }: Sale) {
  await platform(async (ctx) => {
    const module = await ctx.tx.selectFrom('modules').selectAll().where('id', '=', module_id).executeTakeFirstOrThrow()
    const terms = await termsOf(ctx, tenant, module, cycle)
    const subscription = await ctx.tx
      .insertInto('module_subscriptions')
      .values({ tenant_id: tenant, module_id, module_key: module.key, ...terms, created_at: ctx.now, updated_at: ctx.now })
      .returningAll()
      .executeTakeFirstOrThrow()
    await billNew(ctx, subscription, module)
    sold.push(subscription.id)
  })
}

/** Runs a change that may no longer be possible. */
const tryTo = (work: (ctx: PlatformCtx) => Promise<unknown>) => platform(work).catch((error) => assert.equal(error.status, 422))

async function somethingHappens() {
  const id = pick(sold)
  const what = random()
  if (what < 0.5)
    await tryTo(async (ctx) => changeCycle(ctx, await lockSubscription(ctx, id), random() < 0.5 ? 'monthly' : 'yearly'))
  else if (what < 0.75) await tryTo(async (ctx) => cancel(ctx, await lockSubscription(ctx, id), false))
  else if (what < 0.9) await tryTo(async (ctx) => cancel(ctx, await lockSubscription(ctx, id), true))
  else await tryTo(async (ctx) => deactivate(ctx, await lockSubscription(ctx, id)))
}

before(async () => {
  const keys = ['leads', 'tasks', 'projects', 'invoices', 'vendors', 'products', 'expenses', 'assets', 'resellers', 'quotations']
  const modules = await Promise.all(keys.map((key, n) => world.price(key, 7.77 + n * 3.01, 81.13 + n * 29.99)))
  const inYen = await Promise.all(['contracts', 'estimates'].map((key, n) => world.price(key, 1001 + n * 333, 9999 + n, 'JPY')))
  const tenants: number[] = (
    await world.sql(`
      INSERT INTO tenants (company_name, workspace_name, slug, email, created_at, updated_at)
      SELECT 'Firm ' || n, 'Firm ' || n, 'firm-' || n, 'firm' || n || '@firms.test', '2027-01-01', '2027-01-01' FROM generate_series(1, ${WORKSPACES}) n RETURNING id`)
  ).map(({ id }) => Number(id))
  for (const tenant of tenants) await world.saveCard(tenant, `pm_${tenant}`)
  stripe.slow.add(`pm_${tenants[0]}`)

  let sales: Sale[] = tenants.flatMap((tenant, n) =>
    shuffled(n % 5 ? modules : [...modules.slice(2), ...inYen])
      .slice(0, MODULES_EACH)
      .map((module_id) => ({
        tenant,
        module_id,
        cycle: random() < 0.25 ? 'yearly' : 'monthly',
        on: plusDays(FIRST_DAY, whole(75)),
      })),
  )
  let withheld: object[] = []
  for (let day = 0; day < DAYS; day += 1 + whole(4)) {
    today = plusDays(FIRST_DAY, day)
    world.clock.set(`${today}T${String(whole(24)).padStart(2, '0')}:30:00Z`)
    await inParallel(
      sales.filter(({ on }) => on <= today),
      sell,
    )
    sales = sales.filter(({ on }) => on > today)
    if (random() < 0.25) {
      const card = `pm_${pick(tenants)}`
      if (!stripe.declined.delete(card)) stripe.declined.add(card)
    }
    if (day % 120 === 7) stripe.loseAnswers = 2
    for (let n = 0; n < 2 && sold.length > 100; n++) await somethingHappens()
    // Two concurrent workers.
    await Promise.all([1, 2].map(() => renewDue(services)))
    await Promise.all([1, 2].map(() => collectDue(services)))
    await giveUpUnpaid(services)

    for (const [id, { status }] of stripe.intents)
      if (status === 'processing' && random() < 0.4) stripe.finish(id, random() < 0.8 ? 'succeeded' : 'requires_payment_method')
    const told = [...withheld, ...stripe.events.splice(0)]
    withheld = told.filter(() => random() < 0.2)
    const some = told.filter((event) => !withheld.includes(event) && (isOfSlow(event) || random() < 0.25))
    await inParallel(shuffled([...some, ...some.filter(() => random() < 0.5)]), deliver)
  }
})

interface BilledLine {
  subscription_id: string
  currency: string
  term: number
  billing_cycle: 'monthly' | 'yearly'
  period_start: string
  period_end: string
  account: string
  amount: string
}

const UNITS: Record<string, bigint> = { USD: 100n, JPY: 1n }
/** Converts an amount to units: '7.77' USD → 777n. Throws if the currency has too few decimals. */
function units(amount: string, currency: string) {
  const scaled = BigInt(amount.replace('.', '').padEnd(0)) * UNITS[currency]!
  const [, decimals = ''] = amount.split('.')
  const scale = 10n ** BigInt(decimals.length)
  assert.equal(scaled % scale, 0n, `${amount} ${currency} is no whole number of its units`)
  return scaled / scale
}
const text = (sql: string) => world.sql(sql)

describe('after a year', () => {
  it('no period was billed twice or skipped, and each costs what it should', async () => {
    const lines: BilledLine[] = await text(`
      SELECT l.subscription_id, i.currency, l.term, l.billing_cycle, l.period_start::text, l.period_end::text, l.amount::text, l.tenant_id || i.currency AS account
      FROM ledger_lines l JOIN ledger_invoices i USING (tenant_id) WHERE i.id = l.invoice_id ORDER BY l.subscription_id, l.term, l.period_start`)
    const subscriptions = await text(`
      SELECT s.id, s.status, s.term, s.created_at::date::text AS began, s.ended_at::date::text AS ended, s.period_end::text, s.billing_cycle, s.cancel_at_period_end, m.monthly_price::text, m.yearly_price::text
      FROM module_subscriptions s JOIN modules m ON m.id = s.module_id`)
    assert.equal(subscriptions.length, WORKSPACES * MODULES_EACH)
    assert.ok(lines.length > WORKSPACES * 30, `${lines.length} lines`)
    const byId = Map.groupBy(lines, ({ subscription_id }) => subscription_id)
    const accounts = Map.groupBy(lines, ({ account }) => account)
    const anchors = new Map(
      [...accounts].map(([account, of]) => [account, [...new Set(of.map(({ period_start }) => period_start))]]),
    )
    for (const one of subscriptions) {
      const billed = byId.get(one.id)!
      assert.equal(billed[0]!.period_start, one.began)
      for (const [n, line] of billed.entries()) {
        const next = billed[n + 1]
        const whereItShould =
          next?.term === line.term ? next.period_start === line.period_end : !next || next.period_start <= line.period_end
        assert.ok(whereItShould, `subscription ${one.id}: ${JSON.stringify([line, next])}`)
        const price = units(line.billing_cycle === 'monthly' ? one.monthly_price : one.yearly_price, line.currency)
        const shares = sharesOf(price, line, anchors.get(line.account)!)
        assert.ok(shares.includes(units(line.amount, line.currency)), `${JSON.stringify(line)}: ${shares}`)
      }
      const last = billed.at(-1)!
      assert.equal(last.period_end, one.period_end)
      assert.equal(last.term, one.term)
      if (one.ended === null) assert.ok(last.period_end > today, `subscription ${one.id} was not renewed`)
      else assert.ok(last.period_start <= one.ended)
    }
    const states = new Set(subscriptions.map(({ status }) => status))
    assert.deepEqual(states.intersection(new Set(['active', 'cancelled', 'expired'])).size, 3, [...states].join())
  })

  it('the ledger balances to the cent', async () => {
    const rows = await text(`
      SELECT a.tenant_id, a.currency, a.credit::text,
        (SELECT coalesce(sum(total), 0)::text FROM ledger_invoices i WHERE i.tenant_id = a.tenant_id AND i.currency = a.currency) AS billed,
        (SELECT coalesce(sum(amount), 0)::text FROM ledger_lines l JOIN ledger_invoices i ON i.tenant_id = l.tenant_id AND i.id = l.invoice_id WHERE i.tenant_id = a.tenant_id AND i.currency = a.currency) AS lines,
        (SELECT coalesce(sum(amount_paid), 0)::text FROM ledger_invoices i WHERE i.tenant_id = a.tenant_id AND i.currency = a.currency) AS counted,
        (SELECT coalesce(sum(balance_due), 0)::text FROM ledger_invoices i WHERE i.tenant_id = a.tenant_id AND i.currency = a.currency) AS owed,
        (SELECT coalesce(sum(amount), 0)::text FROM ledger_payments p WHERE p.tenant_id = a.tenant_id AND p.currency = a.currency AND status = 'succeeded' AND kind <> 'credit') AS money,
        (SELECT coalesce(sum(amount), 0)::text FROM ledger_payments p WHERE p.tenant_id = a.tenant_id AND p.currency = a.currency AND status = 'succeeded' AND kind = 'credit') AS from_credit,
        (SELECT coalesce(sum(amount), 0)::text FROM ledger_credits c WHERE c.tenant_id = a.tenant_id AND c.currency = a.currency) AS credits,
        (SELECT coalesce(sum(amount), 0)::text FROM ledger_credits c WHERE c.tenant_id = a.tenant_id AND c.currency = a.currency AND reason = 'overpaid') AS overpaid
      FROM billing_accounts a`)
    assert.ok(rows.length >= WORKSPACES)
    const books: Record<string, bigint> = { USD: 0n, JPY: 0n }
    for (const row of rows) {
      const of = (name: string) => units(row[name], row.currency)
      assert.equal(of('billed'), of('lines'))
      assert.equal(of('billed'), of('counted') + of('owed'))
      assert.equal(of('money') + of('from_credit'), of('counted') + of('overpaid'))
      assert.equal(of('credit'), of('credits') - of('from_credit'))
      books[row.currency]! += of('money')
    }
    const taken = [...stripe.intents.values()].filter(({ status }) => status === 'succeeded')
    // Payments that succeeded at the provider but whose event hasn't been delivered are pending here.
    const pending = new Set((await text(`SELECT uuid FROM ledger_payments WHERE status <> 'succeeded'`)).map(({ uuid }) => uuid))
    for (const currency of ['USD', 'JPY']) {
      const settled = taken.filter((one) => one.currency === currency.toLowerCase() && !pending.has(one.metadata.atrium_payment))
      assert.equal(
        settled.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
        books[currency],
      )
    }
    const uuids = [...stripe.intents.values()].map(({ metadata }) => metadata.atrium_payment)
    assert.equal(new Set(uuids).size, uuids.length, 'a payment was charged twice')
  })

  it('invoices have numbers without gaps, and past due is who has failed', async () => {
    const numbers = (await text('SELECT number FROM ledger_invoices'))
      .map(({ number }) => Number(number.slice(4)))
      .sort((a, b) => a - b)
    assert.deepEqual(
      numbers,
      numbers.map((_, n) => n + 1),
    )
    const [{ wrong }] = await text(`
      SELECT count(*)::int AS wrong FROM module_subscriptions s WHERE status IN ('active', 'past_due') AND (status = 'past_due') <> EXISTS (
        SELECT FROM ledger_lines l JOIN ledger_invoices i ON i.tenant_id = l.tenant_id AND i.id = l.invoice_id
        WHERE l.tenant_id = s.tenant_id AND l.subscription_id = s.id AND i.status = 'open' AND i.failing_since IS NOT NULL)`)
    assert.equal(wrong, 0)
  })
})

/**
 * Returns the possible amounts of a line: its share of a full period, rounded half up. Periods count from the day on which the
 * account started or restarted. That may be any day on which the account was billed, if a period then ends where the line does.
 */
function sharesOf(price: bigint, { billing_cycle, period_start, period_end }: BilledLine, anchors: string[]) {
  const [from, to] = [Temporal.PlainDate.from(period_start), Temporal.PlainDate.from(period_end)]
  return anchors.flatMap((anchor) => {
    if (anchor > period_start || anchor.slice(8) < period_end.slice(8)) return [] // clamping only moves days forward
    const nth = (n: number) => Temporal.PlainDate.from(anchor).add(billing_cycle === 'monthly' ? { months: n } : { years: n })
    let n = 0
    while (Temporal.PlainDate.compare(nth(n + 1), from) <= 0) n++
    if (!nth(n + 1).equals(to)) return []
    const days = (day: Temporal.PlainDate) => BigInt(day.until(to, { largestUnit: 'days' }).days)
    const [part, all] = [days(from), days(nth(n))]
    return part === all ? price : (2n * price * part + all) / (2n * all)
  })
}
