/**
 * Simulates a year in which everything about billing changes: prices and currencies of the catalogue, cycles, billable modules,
 * gateways, refunds, archived and erased workspaces. Changes are made through the platform's API and Stripe's webhooks. SQL then
 * derives the expected ledger from the catalogue's history.
 */
// CI stage: billing
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { issueToken } from '#kernel/auth/tokens.ts'
import { inPublic, onPlatform, originOf, systemOperator } from '#kernel/context.ts'
import { startBilling } from '#test/billing-world.ts'
import type { Client } from '#test/harness.ts'
import { recurringRevenue } from './figures.ts'

const WORKSPACES = 12
const KEYS = ['leads', 'tasks', 'projects', 'invoices', 'vendors', 'products']
const WEEKS = 53
const DAY = 86_400_000
/** Typical monthly price by currency, its decimals, and Stripe's units. */
const CURRENCIES: Record<string, { price: number; decimals: number; units: number }> = {
  USD: { price: 30, decimals: 2, units: 100 },
  EUR: { price: 27, decimals: 2, units: 100 },
  JPY: { price: 4500, decimals: 0, units: 1 },
  KWD: { price: 9, decimals: 2, units: 1000 },
}

const world = await startBilling('2027-01-04T06:00:00Z')
const { stripe } = world
let admin: Client = world.admin
after(() => stripe.close())

/** Linear congruential generator, so that failures can be reproduced. */
let state = Number(process.env.BILLING_SEED ?? 20_271_123)
const random = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
const whole = (most: number) => Math.floor(random() * most)
const pick = <T>(from: readonly T[]) => from[whole(from.length)]!

interface Firm {
  id: number
  closed: boolean
}
const firms: Firm[] = []
const modules = new Map<string, number>()
const refunded = new Map<string, number>()
let erased = 0

/** Accepts success, or a rejection because an earlier change made the request impossible: 422, 404 or 400. */
async function tryTo(reply: Promise<{ status: number; body: { message: string } }>) {
  const { status, body } = await reply
  assert.ok(status < 300 || status === 422 || status === 404 || status === 400, `${status} ${body?.message}`)
  return status < 300
}

/**
 * Changes a module's price, currency and whether it is billable, and records that in the history that the ledger is checked
 * against.
 */
async function sellAt(key: string, currency: string, isBillable = true) {
  const { price, decimals } = CURRENCIES[currency]!
  const monthly = Number((price * (0.5 + random())).toFixed(decimals))
  const terms = {
    currency,
    monthly_price: monthly,
    yearly_price: Number((monthly * 10).toFixed(decimals)),
    is_billable: isBillable,
  }
  const { status, body } = await admin.put(`/modules/${modules.get(key)}`, terms)
  assert.equal(status, 200, body.message)
  await world.sql(
    'INSERT INTO catalogue_history (module_id, sold_from, currency, monthly, yearly, is_billable) VALUES ($1, $2, $3, $4, $5, $6)',
    [modules.get(key), world.clock.now(), currency, terms.monthly_price, terms.yearly_price, isBillable],
  )
}

async function liveSubscription(firm: Firm): Promise<string | undefined> {
  const found = await world.sql(
    `SELECT id FROM module_subscriptions WHERE tenant_id = $1 AND status IN ('active', 'past_due') AND source = 'purchased' ORDER BY id`,
    [firm.id],
  )
  return found.length ? pick(found).id : undefined
}

async function refundSomething() {
  const done = [...stripe.intents.values()].filter(({ id, status }) => status === 'succeeded' && !refunded.has(id))
  const intent = pick(done)
  if (!intent) return
  // Amounts with three decimals must end with a 0.
  const amount_refunded =
    random() < 0.5 ? intent.amount : Math.max(1, Math.floor(intent.amount / 20)) * (intent.currency === 'kwd' ? 10 : 1)
  if (amount_refunded > intent.amount) return
  refunded.set(intent.id, amount_refunded)
  const charge = {
    object: 'charge',
    id: `ch_${intent.id}`,
    payment_intent: intent.id,
    currency: intent.currency,
    metadata: intent.metadata,
  }
  const created = Math.floor(Date.parse(world.clock.now()) / 1000)
  const object = { ...charge, amount_refunded }
  await world.deliver([
    { id: `evt_${intent.id}`, object: 'event', type: 'charge.refunded', created, livemode: false, data: { object } },
  ])
}

/** Makes one random change of the week. */
async function somethingHappens() {
  const firm = pick(firms.filter(({ closed }) => !closed))
  const id = await liveSubscription(firm)
  const what = random()
  if (what < 0.2) await sellAt(pick(KEYS), pick(Object.keys(CURRENCIES)), random() < 0.9)
  else if (what < 0.35) await refundSomething()
  else if (what < 0.6 && id) await tryTo(admin.put(`/module-subscriptions/${id}`, { billing_cycle: pick(['monthly', 'yearly']) }))
  else if (what < 0.68 && id) await tryTo(admin.post(`/module-subscriptions/${id}/cancel`, { immediately: random() < 0.3 }))
  else if (what < 0.72 && id) await tryTo(admin.post(`/module-subscriptions/${id}/deactivate`))
  else if (what < 0.92)
    await tryTo(
      admin.post(`/tenants/${firm.id}/modules`, {
        module_id: modules.get(pick(KEYS)),
        billing_cycle: pick(['monthly', 'yearly']),
      }),
    )
  else if (what < 0.98) await world.setting('default_payment_gateway', pick(['stripe', 'stripe', 'manual']))
  else if (firms.filter(({ closed }) => closed).length < 5) firm.closed = await tryTo(admin.post(`/tenants/${firm.id}/archive`))
}

/** Renews the session: it expires by the real calendar, which the test clock is ahead of. */
async function signInAnew() {
  const { token } = await inPublic(originOf(world.services), 'write', (ctx) =>
    issueToken(ctx, { tenant_id: null, user_id: world.admin.id }, 'test', 365 * 86_400),
  )
  admin = world.central(token)
}

async function eraseOne() {
  const firm = pick(firms.filter(({ closed }) => !closed))
  assert.equal((await admin.del(`/tenants/${firm.id}`)).status, 200)
  assert.equal((await admin.del(`/tenants/${firm.id}/force`)).status, 200)
  firm.closed = true
  erased++
}

before(async () => {
  await world.sql(
    `CREATE TABLE catalogue_history (module_id bigint, sold_from timestamptz, currency text, monthly numeric, yearly numeric, is_billable boolean)`,
  )
  for (const key of KEYS) {
    modules.set(key, await world.price(key, 1, 10))
    await sellAt(key, 'USD')
  }
  for (let n = 1; n <= WORKSPACES; n++) {
    const { status, body } = await admin.post('/tenants', { company_name: `Firm ${n}`, email: `owner@firm${n}.test` })
    assert.equal(status, 201, body.message)
    firms.push({ id: body.data.id, closed: false })
    await world.saveCard(body.data.id, `pm_${body.data.id}`)
  }
  for (let week = 0; week < WEEKS; week++) {
    world.clock.set(
      new Date(Date.parse('2027-01-04T06:00:00Z') + week * 7 * DAY + whole(6) * DAY + whole(17) * 3_600_000).toISOString(),
    )
    if (random() < 0.2) {
      const card = `pm_${pick(firms).id}`
      if (!stripe.declined.delete(card)) stripe.declined.add(card)
    }
    for (let n = 0; n < 5; n++) {
      world.clock.set(new Date(Date.parse(world.clock.now()) + 60_000).toISOString())
      await somethingHappens()
    }
    if (week === 20 || week === 40) {
      await signInAnew()
      await eraseOne()
    }
    await Promise.all([world.runDue(), world.runDue()])
    const events = stripe.events.splice(0)
    await world.deliver(random() < 0.5 ? [...events, ...events].reverse() : events)
  }
  await world.runDue()
  await world.deliver(stripe.events.splice(0))
  await world.drain()
})

/** Asserts that a query for violations returns no row. */
async function none(sql: string, ...values: unknown[]) {
  assert.deepEqual((await world.sql(sql, values)).slice(0, 3), [])
}

/** Lines with their currency, the first line of their term, and the catalogue's terms when that term began. */
const LINES = `
  WITH lines AS (
    SELECT l.*, i.currency, i.issued_at, first_value(i.issued_at) OVER term AS sold_at, row_number() OVER term AS nth
    FROM ledger_lines l JOIN ledger_invoices i ON i.tenant_id = l.tenant_id AND i.id = l.invoice_id
    WINDOW term AS (PARTITION BY l.tenant_id, l.subscription_id, l.term ORDER BY l.period_start)
  ), judged AS (
    SELECT lines.*, h.currency AS sold_in, CASE lines.billing_cycle WHEN 'monthly' THEN h.monthly ELSE h.yearly END AS price, h.is_billable
    FROM lines CROSS JOIN LATERAL (
      SELECT * FROM catalogue_history h WHERE h.module_id = lines.module_id AND h.sold_from <= lines.sold_at ORDER BY h.sold_from DESC LIMIT 1
    ) h
  )`

describe('after a year of changes', () => {
  it('enough of everything has happened', async () => {
    const [had] = await world.sql(
      'SELECT count(DISTINCT currency)::int AS currencies, count(*)::int AS invoices, count(DISTINCT gateway)::int AS gateways FROM ledger_invoices',
    )
    const [{ terms }] = await world.sql('SELECT count(*)::int AS terms FROM ledger_lines WHERE term > 1')
    const [{ credits }] = await world.sql('SELECT count(*)::int AS credits FROM ledger_credits')
    assert.ok(
      had.currencies === 4 && had.invoices > 60 && terms > 5 && had.gateways === 2 && credits > 5,
      JSON.stringify({ ...had, terms, credits }),
    )
    assert.ok(refunded.size > 5 && erased === 2, `${refunded.size} refunds`)
  })

  it('each term keeps the currency and the price at which it was sold', async () => {
    await none(`${LINES} SELECT * FROM judged WHERE currency <> sold_in`)
    await none(`${LINES} SELECT * FROM judged WHERE nth > 1 AND amount <> price`)
    await none(`${LINES} SELECT * FROM judged WHERE nth = 1 AND amount > price`)
    await none(`${LINES} SELECT * FROM judged WHERE NOT is_billable`)
  })

  it('nothing is billed of what isn’t billable by then, nor to who is archived or gone', async () => {
    await none(`
      ${LINES} SELECT l.subscription_id, l.issued_at FROM lines l CROSS JOIN LATERAL (
        SELECT is_billable FROM catalogue_history h WHERE h.module_id = l.module_id AND h.sold_from <= l.issued_at ORDER BY h.sold_from DESC LIMIT 1
      ) h WHERE NOT h.is_billable`)
    await none(`
      SELECT i.number FROM ledger_invoices i JOIN tenants t ON t.id = i.tenant_id WHERE i.issued_at > coalesce(t.deleted_at, t.archived_at)`)
  })

  it('periods of a term follow each other, and are billed once', async () => {
    await none(`
      ${LINES} SELECT * FROM (
        SELECT *, lead(period_start) OVER (PARTITION BY tenant_id, subscription_id, term ORDER BY period_start) AS next FROM lines
      ) l WHERE next < period_end`)
    await none('SELECT number FROM ledger_invoices GROUP BY number HAVING count(*) > 1')
  })

  it('each account balances: billed, paid, from credit, overpaid, refunded', async () => {
    await none(`
      SELECT i.tenant_id, i.id FROM ledger_invoices i
      WHERE total <> (SELECT sum(amount) FROM ledger_lines l WHERE l.tenant_id = i.tenant_id AND l.invoice_id = i.id)`)
    await none(`
      SELECT * FROM (
        SELECT a.*,
          (SELECT coalesce(sum(amount_paid), 0) FROM ledger_invoices i WHERE (i.tenant_id, i.currency) = (a.tenant_id, a.currency)) AS counted,
          (SELECT coalesce(sum(amount), 0) FROM ledger_payments p WHERE (p.tenant_id, p.currency) = (a.tenant_id, a.currency) AND status = 'succeeded') AS paid,
          (SELECT coalesce(sum(amount), 0) FROM ledger_payments p WHERE (p.tenant_id, p.currency) = (a.tenant_id, a.currency) AND status = 'succeeded' AND kind = 'credit') AS from_credit,
          (SELECT coalesce(sum(amount), 0) FROM ledger_credits c WHERE (c.tenant_id, c.currency) = (a.tenant_id, a.currency)) AS credits,
          (SELECT coalesce(sum(amount), 0) FROM ledger_credits c WHERE (c.tenant_id, c.currency) = (a.tenant_id, a.currency) AND reason = 'overpaid') AS overpaid
        FROM billing_accounts a
      ) a WHERE paid <> counted + overpaid OR credit <> credits - from_credit`)
  })

  it('no more is given back for unused days than was billed and kept', async () => {
    await none(`
      SELECT * FROM (
        SELECT c.tenant_id, c.subscription_id, c.currency, sum(c.amount) AS given,
          (SELECT sum(l.amount) FROM ledger_lines l JOIN ledger_invoices i ON i.tenant_id = l.tenant_id AND i.id = l.invoice_id
           WHERE l.tenant_id = c.tenant_id AND l.subscription_id = c.subscription_id AND i.currency = c.currency) AS billed
        FROM ledger_credits c WHERE c.reason = 'unused_period' GROUP BY 1, 2, 3
      ) c WHERE billed IS NULL OR given > billed`)
  })

  it('the ledger holds what Stripe took and gave back, of erased workspaces too', async () => {
    const rows = await world.sql(`
      SELECT uuid, currency, amount::float, amount_refunded::float, status FROM ledger_payments WHERE kind <> 'credit' AND gateway = 'stripe'`)
    const booked = new Map(rows.map((row) => [row.uuid, row]))
    for (const { id, status, amount, currency, metadata } of stripe.intents.values()) {
      const payment = booked.get(metadata.atrium_payment)
      assert.ok(payment, `Stripe took ${id}, of which the ledger knows nothing`)
      const { units } = CURRENCIES[payment.currency]!
      assert.deepEqual([currency, amount], [payment.currency.toLowerCase(), Math.round(payment.amount * units)], id)
      if (payment.currency === 'KWD') assert.equal(amount % 10, 0)
      assert.equal(payment.status === 'succeeded', status === 'succeeded', id)
      assert.equal(Math.round(payment.amount_refunded * units), refunded.get(id) ?? 0, id)
    }
  })

  it('monthly recurring revenue is what the running terms were sold for', async () => {
    const told = await onPlatform(originOf(world.services), systemOperator, 'read', recurringRevenue)
    // A module that became free and is cancelled has a period, in which it ends, and a price of 0.
    const rows = await world.sql(`
      ${LINES}, running AS (
        SELECT DISTINCT ON (s.tenant_id, s.id) j.currency, j.billing_cycle, j.price FROM module_subscriptions s
        JOIN judged j ON j.tenant_id = s.tenant_id AND j.subscription_id = s.id AND j.term = s.term
        JOIN tenants t ON t.id = s.tenant_id AND t.deleted_at IS NULL AND t.archived_at IS NULL
        JOIN modules m ON m.id = s.module_id AND m.is_billable
        WHERE s.status = 'active' AND s.price > 0 ORDER BY s.tenant_id, s.id, j.period_start DESC
      )
      SELECT currency, sum(CASE billing_cycle WHEN 'monthly' THEN price ELSE price / 12 END)::float AS mrr FROM running GROUP BY 1 ORDER BY 1`)
    assert.deepEqual(
      told.map(({ currency }) => currency),
      rows.map(({ currency }) => currency),
    )
    for (const [n, { currency, mrr }] of told.entries())
      assert.ok(
        Math.abs(Number(mrr) - rows[n].mrr) <= 0.01 * 10 ** (2 - CURRENCIES[currency]!.decimals),
        `${currency}: ${mrr}, ${rows[n].mrr}`,
      )
  })
})
