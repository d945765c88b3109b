import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { startBilling } from '#test/billing-world.ts'
import { refusing } from '#test/refusing.ts'
import { renewDue } from './renewals.ts'

const world = await startBilling('2027-01-31T10:00:00Z')
const { admin, stripe } = world
after(() => stripe.close())
let leads: number
let tasks: number

before(async () => {
  leads = await world.price('leads', 30, 300)
  tasks = await world.price('tasks', 10, 100)
})

// Subscriptions of one test must not be renewed in the next.
afterEach(() =>
  world.sql(`WITH s AS (UPDATE module_subscriptions SET status = 'cancelled' WHERE status IN ('trialing', 'active', 'past_due'))
    UPDATE ledger_invoices SET next_attempt_at = NULL, failing_since = NULL`),
)

const firm = async (card?: string) => {
  const { id, owner } = await world.workspace({ modules: [] })
  if (card) await world.saveCard(id, card)
  return { id, owner }
}
const invoicesOf = async (id: number): Promise<any[]> =>
  (await admin.get(`/tenants/${id}/invoices`, { query: { sort: 'created_at', direction: 'asc' } })).body.data
const paymentsOf = async (id: number): Promise<any[]> => (await admin.get(`/tenants/${id}/payments`)).body.data
const subscription = async (id: number) => (await admin.get(`/module-subscriptions/${id}`)).body.data
const totals = (invoices: any[]) => invoices.map(({ total, status }) => [total, status])
const chargesOf = (id: number) => [...stripe.intents.values()].filter(({ customer }) => customer === `cus_of_${id}`)

describe('the first invoice', () => {
  it('is issued with the installation, numbered, mailed with its PDF, and paid by link on the provider’s page', async () => {
    const { id } = await firm()
    const installed = await world.install(id, leads)
    await world.drain()
    const [invoice] = await invoicesOf(id)
    assert.match(invoice.number, /^INV-\d{5}$/)
    assert.partialDeepStrictEqual(invoice, { total: 30, status: 'open', due_at: '2027-02-14T10:00:00.000Z' })
    const [{ id: _, ...line }] = invoice.lines
    assert.deepEqual(line, {
      subscription_id: installed.id,
      module_id: leads,
      description: 'Leads',
      billing_cycle: 'monthly',
      period_start: '2027-01-31',
      period_end: '2027-02-28',
      amount: 30,
    })
    const pdf = await admin.get(`/invoices/${invoice.id}/pdf`)
    assert.deepEqual(
      [pdf.status, pdf.headers['content-type'], pdf.raw.subarray(0, 5).toString()],
      [200, 'application/pdf', '%PDF-'],
    )
    const [mail] = await world.sql(
      `SELECT * FROM email_logs WHERE tenant_id = $1 AND notification_type = 'billing.invoice_issued'`,
      [id],
    )
    const path = /http:\/\/atrium\.test(\/pay\/\S+)/.exec(mail.body_text)![1]!

    const [page, again] = await Promise.all([world.root.get(path), world.root.get(path)])
    assert.deepEqual([page.status, again.headers.location], [303, page.headers.location])
    assert.equal(stripe.sessions.size, 1)
    assert.match((await world.root.get(`${path}?returned=1`)).raw.toString(), /confirmed within/)
    assert.equal((await world.root.get(`${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`)).status, 404)
    const [session] = stripe.sessions.values()
    stripe.payOnPage(session!.id, 'pm_page')
    await world.deliver(stripe.events.splice(0))
    assert.deepEqual(totals(await invoicesOf(id)), [[30, 'paid']])
    assert.match((await world.root.get(path)).raw.toString(), /is paid/)
    const [customer] = await world.sql('SELECT payment_method FROM payment_customers WHERE tenant_id = $1', [id])
    assert.equal(customer.payment_method, 'pm_page')
    assert.deepEqual(
      (await subscription(installed.id)).history.map(({ event }: { event: string }) => event),
      ['installed'],
    )
  })

  it('waits for its due date while there is nothing to charge, and then fails', async () => {
    world.clock.set('2027-01-31T10:00:00Z')
    const { id } = await firm()
    const { id: leadsOf } = await world.install(id, leads)
    await world.runDue()
    await world.runAt('2027-02-13T10:00:00Z')
    assert.equal((await subscription(leadsOf)).status, 'active')
    await world.runAt('2027-02-14T10:00:01Z')
    assert.equal((await subscription(leadsOf)).status, 'past_due')
    world.clock.set('2027-01-31T10:00:00Z')
  })
})

describe('charges', () => {
  it('renew on the anchor’s day, clamped to the month’s end, and catch up after a downtime', async () => {
    world.clock.set('2027-01-31T10:00:00Z')
    const { id } = await firm('pm_good')
    await world.install(id, leads)
    await world.runDue()
    await world.runAt('2027-02-27T23:59:59Z')
    assert.deepEqual(totals(await invoicesOf(id)), [[30, 'paid']])
    await world.runAt('2027-06-01T00:00:00Z')
    const invoices = await invoicesOf(id)
    const starts = invoices.map(({ lines }) => lines[0].period_start)
    assert.deepEqual(starts, ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31'])
    assert.ok(invoices.every(({ status }) => status === 'paid'))
    assert.deepEqual(
      chargesOf(id).map(({ amount }) => amount),
      [3000, 3000, 3000, 3000, 3000],
    )
  })

  it('fail into past due, are tried again by the schedule, and recover', async () => {
    world.clock.set('2027-06-01T10:00:00Z')
    const { id } = await firm('pm_flaky')
    stripe.declined.add('pm_flaky')
    const installed = await world.install(id, leads)
    await world.runDue()
    assert.equal((await subscription(installed.id)).status, 'past_due')
    for (const day of ['02', '03', '04', '05', '08']) await world.runAt(`2027-06-${day}T10:00:00Z`)
    assert.equal(chargesOf(id).length, 4) // on days 0, 1, 3 and 7
    const entitled = await admin.get(`/tenants/${id}/entitlements`)
    assert.ok(entitled.body.data.modules.some(({ key }: { key: string }) => key === 'leads'))
    stripe.declined.delete('pm_flaky')
    await world.runAt('2027-06-14T10:00:00Z')
    assert.equal(chargesOf(id).length, 4)
    await world.runAt('2027-06-15T10:00:00Z')
    const shown = await subscription(installed.id)
    assert.deepEqual(
      [shown.status, shown.history.map(({ event }: { event: string }) => event)],
      ['active', ['recovered', 'past_due', 'installed']],
    )
    assert.deepEqual(totals(await invoicesOf(id)), [[30, 'paid']])
    const failed = (await paymentsOf(id)).filter(({ status }) => status === 'failed')
    assert.deepEqual([failed.length, failed[0].failure_code], [4, 'insufficient_funds'])
  })

  it('are given up after three weeks: the module is closed, its data kept for the next installation', async () => {
    world.clock.set('2027-06-01T10:00:00Z')
    const { id, owner } = await firm('pm_bad')
    stripe.declined.add('pm_bad')
    const installed = await world.install(id, tasks)
    const made = await owner.post('/tasks', { title: 'Kept' })
    assert.equal(made.status, 201)
    await world.runDue()
    for (const day of [2, 4, 8, 15, 21]) await world.runAt(`2027-06-${String(day).padStart(2, '0')}T10:00:00Z`)
    assert.equal((await owner.get('/tasks')).status, 200)
    await world.runAt('2027-06-22T10:00:00Z')
    assert.equal((await subscription(installed.id)).status, 'expired')
    assert.deepEqual(totals(await invoicesOf(id)), [[10, 'uncollectible']])
    assert.equal((await owner.get('/tasks')).body.code, 'MODULE_NOT_INSTALLED')
    stripe.declined.delete('pm_bad')
    await world.install(id, tasks)
    assert.equal((await owner.get(`/tasks/${made.body.data.id}`)).body.data.title, 'Kept')
    await world.runDue()
    assert.deepEqual(totals(await invoicesOf(id)), [
      [10, 'uncollectible'],
      [10, 'paid'],
    ])
  })

  it('end with what requires the module, in any order, with the rest of its period as credit', async () => {
    world.clock.set('2027-06-01T10:00:00Z')
    const products = await world.price('products', 20, 200)
    const inventory = await world.price('inventory', 60, 600)
    const { id, owner } = await firm('pm_half')
    stripe.declined.add('pm_half')
    await world.install(id, products)
    await world.runDue()
    stripe.declined.delete('pm_half')
    const dependent = await world.install(id, inventory)
    await world.runDue()
    assert.deepEqual(totals(await invoicesOf(id)), [
      [20, 'open'],
      [60, 'paid'],
    ])
    await world.sql(`UPDATE ledger_invoices SET next_attempt_at = NULL WHERE tenant_id = $1 AND status = 'open'`, [id])
    await world.runAt('2027-06-22T10:00:00Z')
    const { status, history } = await subscription(dependent.id)
    assert.deepEqual([status, history[0].event], ['expired', 'expired'])
    assert.equal((await owner.get('/inventory/stock')).body.code, 'MODULE_NOT_INSTALLED')
    const credits = await world.sql('SELECT reason, amount::float FROM ledger_credits WHERE tenant_id = $1', [id])
    assert.deepEqual(credits, [{ reason: 'unused_period', amount: 18 }])
  })

  it('whose answers are lost, or whose worker is, are looked up and never made twice', async () => {
    world.clock.set('2027-07-01T10:00:00Z')
    const { id } = await firm('pm_lost')
    stripe.loseAnswers = 99 // the charge is made, but its reply is lost
    await world.install(id, leads)
    await world.runDue()
    stripe.loseAnswers = 0
    stripe.events.length = 0
    assert.deepEqual([chargesOf(id).length, totals(await invoicesOf(id))], [1, [[30, 'open']]])
    await world.runAt('2027-07-01T10:05:00Z') // the lease of another worker
    assert.deepEqual(totals(await invoicesOf(id)), [[30, 'open']])
    await world.runAt('2027-07-03T10:00:00Z') // Stripe no longer knows the idempotency key
    assert.deepEqual([chargesOf(id).length, totals(await invoicesOf(id))], [1, [[30, 'paid']]])

    const { id: other } = await firm('pm_late')
    stripe.broken = 500
    await world.install(other, leads)
    await world.runDue()
    stripe.broken = 0
    assert.deepEqual([chargesOf(other).length, (await paymentsOf(other)).map(({ status }) => status)], [0, ['pending']])
    await Promise.all([world.runAt('2027-07-03T10:20:00Z'), world.runAt('2027-07-03T10:20:00Z')])
    assert.deepEqual([chargesOf(other).length, totals(await invoicesOf(other))], [1, [[30, 'paid']]])
  })

  it('are looked after even when the invoice was paid otherwise meanwhile: what was paid twice is credit', async () => {
    world.clock.set('2027-07-01T10:00:00Z')
    const { id } = await firm('pm_lost')
    await world.install(id, leads)
    const second = await world.install(id, tasks)
    stripe.loseAnswers = 99
    await world.runDue()
    stripe.loseAnswers = 0
    await admin.post(`/module-subscriptions/${second.id}/cancel`, { immediately: true })
    const counted = await invoicesOf(id)
    assert.deepEqual(
      counted.map(({ amount_paid }) => amount_paid),
      [10, 0],
    )
    await world.runAt('2027-07-01T10:20:00Z')
    assert.deepEqual(totals(await invoicesOf(id)), [
      [30, 'paid'],
      [10, 'paid'],
    ])
    const [{ credit }] = await world.sql('SELECT credit::float FROM billing_accounts WHERE tenant_id = $1', [id])
    assert.deepEqual([chargesOf(id).length, credit], [2, 10])
  })

  it('that take days are settled by webhooks, in any order and number', async () => {
    world.clock.set('2027-07-01T10:00:00Z')
    const { id } = await firm('pm_slow')
    stripe.slow.add('pm_slow')
    stripe.events.length = 0
    const installed = await world.install(id, leads)
    await world.runDue()
    assert.deepEqual(totals(await invoicesOf(id)), [[30, 'open']])
    const [intent] = chargesOf(id)
    stripe.finish(intent!.id, 'requires_payment_method')
    stripe.finish(intent!.id, 'succeeded')
    const refund = { ...stripe.events.at(-1), id: 'evt_refund', type: 'charge.refunded' } as any
    const charge = { object: 'charge', id: 'ch_1', payment_intent: intent!.id, currency: 'usd', metadata: intent!.metadata }
    const refunds = [500, 1500].map((amount_refunded, n) => ({
      ...refund,
      id: `evt_refund${n}`,
      data: { object: { ...charge, amount_refunded } },
    }))
    const events = [...refunds, ...stripe.events.splice(0)].reverse() // newest first
    const turnTo = (mode: string) => world.sql(`UPDATE payment_gateways SET mode = $1 WHERE code = 'stripe'`, [mode])
    await turnTo('live') // changed in between
    await world.deliver([...events, ...events])
    await turnTo('sandbox')
    const [log] = await world.sql('SELECT action, mode, is_success FROM payment_gateway_logs ORDER BY id DESC LIMIT 1')
    assert.deepEqual(log, { action: 'charge', mode: 'sandbox', is_success: true }, 'in the mode of the payment')
    assert.deepEqual(totals(await invoicesOf(id)), [[30, 'paid']])
    const [payment] = await paymentsOf(id)
    assert.partialDeepStrictEqual(payment, { status: 'succeeded', amount_refunded: 15, reference: intent!.id })
    assert.equal((await subscription(installed.id)).status, 'active')
  })

  it('are never asked of the manual gateway, under which nobody is past due', async () => {
    world.clock.set('2027-07-01T10:00:00Z')
    await world.setting('default_payment_gateway', 'manual')
    const { id } = await firm('pm_good')
    const installed = await world.install(id, leads)
    await world.setting('default_payment_gateway', 'stripe')
    await world.runAt('2027-07-30T10:00:00Z')
    assert.deepEqual([totals(await invoicesOf(id)), chargesOf(id).length], [[[30, 'open']], 0])
    assert.equal((await subscription(installed.id)).status, 'active')
  })
})

describe('a closed workspace', () => {
  it('is sold nothing while it is archived', async () => {
    const { id } = await firm()
    assert.equal((await admin.post(`/tenants/${id}/archive`)).status, 200)
    const { status, body } = await admin.post(`/tenants/${id}/modules`, { module_id: leads, billing_cycle: 'monthly' })
    assert.deepEqual([status, Object.keys(body.errors!)], [422, ['tenant']])
    await admin.post(`/tenants/${id}/unarchive`)
    await world.install(id, leads)
  })

  it('that was erased still has booked what its customer paid meanwhile', async () => {
    world.clock.set('2027-07-01T10:00:00Z')
    const { id } = await firm()
    await world.install(id, leads)
    const [invoice] = await invoicesOf(id)
    await world.drain()
    const [{ body_text }] = await world.sql(
      `SELECT body_text FROM email_logs WHERE tenant_id = $1 AND notification_type = 'billing.invoice_issued'`,
      [id],
    )
    await world.root.get(/http:\/\/atrium\.test(\/pay\/\S+)/.exec(body_text)![1]!)
    stripe.payOnPage([...stripe.sessions.keys()].at(-1)!, 'pm_page')
    await admin.del(`/tenants/${id}`)
    await admin.del(`/tenants/${id}/force`)
    await world.drain()
    assert.deepEqual(await world.sql('SELECT FROM tenants WHERE id = $1', [id]), [])
    await world.deliver(stripe.events.splice(0))
    const [booked] = await world.sql('SELECT status, amount_paid::float FROM ledger_invoices WHERE id = $1', [invoice.id])
    assert.deepEqual(booked, { status: 'paid', amount_paid: 30 })
  })

  it('is not billed while it is archived, and not charged once it is deleted', async () => {
    world.clock.set('2027-07-01T10:00:00Z')
    const { id } = await firm('pm_good')
    const { id: subscribed } = await world.install(id, leads)
    await world.runDue()
    await world.sql('UPDATE tenants SET archived_at = now() WHERE id = $1', [id])
    await world.runAt('2027-09-10T10:00:00Z')
    await world.sql('UPDATE tenants SET archived_at = NULL WHERE id = $1', [id])
    assert.equal((await subscription(subscribed)).period_end, '2027-10-01')
    await world.runAt('2027-10-01T00:00:00Z')
    const invoices = await invoicesOf(id)
    assert.deepEqual(
      invoices.map(({ lines }) => lines[0].period_start),
      ['2027-07-01', '2027-10-01'],
    )

    const { id: deleted } = await firm('pm_good')
    await world.install(deleted, leads)
    await world.sql('UPDATE tenants SET deleted_at = now() WHERE id = $1', [deleted])
    await world.runDue()
    assert.deepEqual(chargesOf(deleted), [])
  })
})

describe('a change of the catalogue', () => {
  it('leaves what is sold its price and currency until its cycle is changed, which says both', async () => {
    world.clock.set('2027-08-01T10:00:00Z')
    const { id } = await firm('pm_good')
    const module = await world.price('contracts', 100, 1000, 'USD')
    const { id: subscribed } = await world.install(id, module)
    await world.runDue()
    await world.price('contracts', 15000, 150_000, 'JPY')
    await world.runAt('2027-09-01T10:00:00Z')
    assert.deepEqual(
      (await invoicesOf(id)).map(({ total, currency }) => [total, currency]),
      [
        [100, 'USD'],
        [100, 'USD'],
      ],
    )
    const { body } = await admin.put(`/module-subscriptions/${subscribed}`, { billing_cycle: 'yearly' })
    assert.partialDeepStrictEqual(body.data, { price: 150_000, currency: 'JPY' })
    await world.runDue()
    assert.deepEqual(
      (await invoicesOf(id)).slice(2).map(({ total, currency, status }) => [total, currency, status]),
      [[150_000, 'JPY', 'paid']],
    )
    const credit = await world.sql('SELECT currency, credit::text FROM billing_accounts WHERE tenant_id = $1 ORDER BY 1', [id])
    assert.deepEqual(credit, [
      { currency: 'JPY', credit: '0.0000' },
      { currency: 'USD', credit: '100.0000' },
    ])
    await world.runAt('2027-09-02T10:00:00Z')
    assert.equal((await invoicesOf(id)).length, 3)
  })

  it('is heeded by a change that waits for the period’s end', async () => {
    world.clock.set('2027-08-01T10:00:00Z')
    await world.setting('proration_mode', 'none')
    const { id } = await firm('pm_good')
    const module = await world.price('contracts', 100, 1000, 'USD')
    const { id: subscribed } = await world.install(id, module)
    await admin.put(`/module-subscriptions/${subscribed}`, { billing_cycle: 'yearly' })
    await world.price('contracts', 31.25, 312.5, 'KWD')
    await world.runAt('2027-09-01T10:00:00Z')
    assert.deepEqual(
      (await invoicesOf(id)).map(({ total, currency, status }) => [total, currency, status]),
      [
        [100, 'USD', 'paid'],
        [312.5, 'KWD', 'paid'],
      ],
    )
    assert.deepEqual(chargesOf(id).at(-1)!.amount, 312_500)
    await world.setting('proration_mode', 'prorate')
  })

  it('that a renewal heeds decides in which currency the rest of a period is credited', async () => {
    world.clock.set('2027-08-01T10:00:00Z')
    await world.setting('proration_mode', 'none')
    const { id } = await firm('pm_good')
    const module = await world.price('contracts', 100, 1000, 'USD')
    const { id: subscribed } = await world.install(id, module)
    await admin.put(`/module-subscriptions/${subscribed}`, { billing_cycle: 'yearly' })
    await world.price('contracts', 15000, 150_000, 'JPY')
    await world.setting('proration_mode', 'prorate')
    world.clock.set('2027-09-01T10:00:00Z') // due, but not yet renewed by a job
    assert.equal((await admin.post(`/module-subscriptions/${subscribed}/cancel`, { immediately: true })).status, 200)
    const credits = await world.sql('SELECT currency, amount::float FROM ledger_credits WHERE tenant_id = $1', [id])
    assert.deepEqual(credits, [{ currency: 'JPY', amount: 150_000 }])
    assert.deepEqual(
      (await invoicesOf(id)).map(({ total, currency, status }) => [total, currency, status]),
      [
        [100, 'USD', 'open'],
        [150_000, 'JPY', 'paid'],
      ],
    )
  })

  it('to what isn’t billable ends the bills of those who have it', async () => {
    world.clock.set('2027-08-01T10:00:00Z')
    const { id } = await firm('pm_good')
    const module = await world.price('contracts', 100, 1000, 'USD')
    const { id: subscribed } = await world.install(id, module)
    await world.runDue()
    assert.equal((await admin.put(`/modules/${module}`, { is_billable: false })).status, 200)
    await world.runAt('2027-09-10T10:00:00Z')
    const shown = await subscription(subscribed)
    assert.partialDeepStrictEqual(shown, { status: 'active', price: 0, period_end: null })
    assert.equal((await invoicesOf(id)).length, 1)
  })

  it('takes prices only as cards can be charged: no third decimal', async () => {
    const module = await world.price('contracts', 31, 310, 'KWD')
    const { status, body } = await admin.put(`/modules/${module}`, { monthly_price: 31.255 })
    assert.deepEqual([status, body.errors], [422, { monthly_price: ['Must have at most 2 decimals in KWD.'] }])
    world.clock.set('2027-08-01T10:00:00Z')
    const { id } = await firm('pm_good')
    await world.install(id, module)
    world.clock.set('2027-08-11T10:00:00Z')
    await world.install(id, await world.price('tasks', 10, 100, 'KWD'))
    await world.runDue()
    await world.price('tasks', 10, 100)
    for (const { amount } of chargesOf(id)) assert.equal(amount % 10, 0, `${amount} fils`)
  })
})

describe('parts of periods', () => {
  it('are charged when a module comes to others, and credited when one goes: exact to the cent', async () => {
    world.clock.set('2027-08-01T10:00:00Z')
    const { id } = await firm('pm_good')
    await world.install(id, leads)
    world.clock.set('2027-08-11T10:00:00Z')
    const second = await world.install(id, tasks)
    await world.runDue()
    // 21 of 31 days of 10.00
    assert.deepEqual(
      (await invoicesOf(id)).map(({ total }) => total),
      [30, 6.77],
    )
    world.clock.set('2027-08-21T10:00:00Z')
    await admin.post(`/module-subscriptions/${second.id}/cancel`, { immediately: true })
    // 11 of 21 days of 6.77, deducted from the next invoice
    await world.runAt('2027-09-01T10:00:00Z')
    const next = (await invoicesOf(id)).at(-1)
    assert.deepEqual([next.lines.length, next.total, next.amount_paid, next.status], [1, 30, 30, 'paid'])
    const detail = (await admin.get(`/invoices/${next.id}`)).body.data
    assert.deepEqual(
      detail.payments.map(({ gateway, amount }: any) => [gateway, amount]),
      [
        ['stripe', 26.45],
        ['credit', 3.55],
      ],
    )
  })

  it('that were credited are no revenue of the month in which they were billed (CEN-18)', async () => {
    world.clock.set('2027-08-01T10:00:00Z')
    const revenue = async (): Promise<number> => (await admin.get('/dashboard')).body.data.revenue_series.at(-1).amount
    const before = await revenue()
    const { id } = await firm()
    const unused = await world.install(id, leads)
    assert.equal(await revenue(), before + 30)
    await admin.post(`/module-subscriptions/${unused.id}/cancel`, { immediately: true })
    assert.deepEqual(
      (await paymentsOf(id)).map(({ gateway, amount }) => [gateway, amount]),
      [['credit', 30]],
    )
    assert.equal(await revenue(), before)
    const { id: changed } = await world.install(id, leads)
    world.clock.set('2027-08-16T10:00:00Z')
    await admin.put(`/module-subscriptions/${changed}`, { billing_cycle: 'yearly' })
    // 16 of 31 days of 30.00 are credited, 351 of 366 days of 300.00 billed
    const august = Number((before + 30 - 15.48 + 287.7).toFixed(2))
    assert.equal(await revenue(), august)
    world.clock.set('2027-10-16T10:00:00Z')
    const october = await revenue()
    await admin.post(`/module-subscriptions/${changed}/cancel`, { immediately: true })
    assert.equal(await revenue(), october)
    const { revenue_series } = (await admin.get('/dashboard')).body.data
    const [{ credited }] = await world.sql(
      'SELECT amount::float AS credited FROM ledger_credits WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1',
      [id],
    )
    assert.ok(credited > 200)
    assert.equal(revenue_series.at(-3).amount, Number((august - credited).toFixed(2)))
  })

  it('are not credited where the money went back', async () => {
    world.clock.set('2027-08-01T10:00:00Z')
    const { id } = await firm('pm_good')
    const { id: subscribed } = await world.install(id, leads)
    await world.install(id, tasks)
    await world.runDue()
    // 30.00 and 10.00 on two invoices; the first is refunded except for 18.00
    const [{ id: paid, atrium_payment }] = await world.sql(
      `SELECT p.reference AS id, p.uuid AS atrium_payment FROM ledger_payments p JOIN ledger_invoices i ON i.tenant_id = p.tenant_id AND i.id = p.invoice_id
       WHERE p.tenant_id = $1 AND i.total = 30`,
      [id],
    )
    const metadata = { atrium_payment, atrium_tenant: String(id) }
    const refund = { payment_intent: paid, amount_refunded: 1200, currency: 'usd', metadata }
    const event = { id: 'evt_refund', type: 'charge.refunded', created: 1_800_000_000, livemode: false, data: { object: refund } }
    await world.deliver([event])
    world.clock.set('2027-08-17T10:00:00Z')
    await admin.post(`/module-subscriptions/${subscribed}/cancel`, { immediately: true })
    // 15 of 31 days of 30.00 are 14.52, of which 12.00 are already refunded
    const [{ credit }] = await world.sql('SELECT credit::text FROM billing_accounts WHERE tenant_id = $1', [id])
    assert.equal(credit, '2.5200')
  })

  it('follow a change of cycle at once', async () => {
    world.clock.set('2027-08-01T10:00:00Z')
    const { id } = await firm('pm_good')
    const { id: subscribed } = await world.install(id, leads)
    await world.runDue()
    world.clock.set('2027-08-16T10:00:00Z')
    const changed = await admin.put(`/module-subscriptions/${subscribed}`, { billing_cycle: 'yearly' })
    assert.partialDeepStrictEqual(changed.body.data, { billing_cycle: 'yearly', period_end: '2028-08-01', price: 300 })
    await world.runDue()
    // 16 of 31 days of 30.00 are credited; 351 of 366 days of 300.00 are billed
    const [, invoice] = await invoicesOf(id)
    assert.partialDeepStrictEqual(invoice, { total: 287.7, amount_paid: 287.7, status: 'paid' })
    assert.deepEqual(
      chargesOf(id).map(({ amount }) => amount),
      [3000, 27222],
    )
    const same = await admin.put(`/module-subscriptions/${subscribed}`, { billing_cycle: 'yearly' })
    assert.equal(same.body.data.history.length, 2)
  })

  it('are none of anybody’s where proration is off: a change waits for the period’s end', async () => {
    world.clock.set('2027-08-01T10:00:00Z')
    await world.setting('proration_mode', 'none')
    const { id } = await firm('pm_good')
    const first = await world.install(id, leads)
    world.clock.set('2027-08-11T10:00:00Z')
    const second = await world.install(id, tasks)
    const changed = await admin.put(`/module-subscriptions/${first.id}`, { billing_cycle: 'yearly' })
    assert.partialDeepStrictEqual(changed.body.data, { billing_cycle: 'monthly', next_cycle: 'yearly' })
    await admin.post(`/module-subscriptions/${second.id}/cancel`, { immediately: true })
    await world.runAt('2027-09-12T10:00:00Z')
    assert.deepEqual(totals(await invoicesOf(id)), [
      [30, 'paid'],
      [10, 'paid'],
      [300, 'paid'],
    ])
    await world.setting('proration_mode', 'prorate')
  })

  it('begin with a trial where there are any, once for each module', async () => {
    world.clock.set('2027-08-01T10:00:00Z')
    await world.setting('trial_enabled', true)
    const { id } = await firm('pm_good')
    const first = await world.install(id, leads)
    assert.equal(first.status, 'trialing')
    await world.runAt('2027-08-14T23:00:00Z')
    assert.deepEqual(await invoicesOf(id), [])
    await world.runAt('2027-08-15T00:00:00Z')
    const shown = await subscription(first.id)
    assert.partialDeepStrictEqual(shown, { status: 'active', period_start: '2027-08-15', period_end: '2027-09-15' })
    await admin.post(`/module-subscriptions/${first.id}/deactivate`)
    assert.equal((await world.install(id, leads)).status, 'active')
    await world.setting('trial_enabled', false)
  })
})

describe('a workspace for which something always fails', () => {
  /** Runs work with two equal workspaces. Writes of the first one's rows fail meanwhile. */
  async function refusingFirst(
    { event, table, when = 'true' }: { event: 'INSERT' | 'UPDATE'; table: string; when?: string },
    work: (refused: number, other: number) => Promise<void>,
  ) {
    const [refused, other] = [await firm('pm_good'), await firm('pm_good')]
    for (const { id } of [refused, other]) await world.install(id, leads)
    await refusing(world, { event, table, when: `NEW.tenant_id = ${refused.id} AND ${when}` }, () => work(refused.id, other.id))
  }
  const statuses = async (...ids: number[]) => Promise.all(ids.map(async (id) => totals(await invoicesOf(id))))

  it('holds up no other’s renewals', async () => {
    world.clock.set('2027-12-01T10:00:00Z')
    await refusingFirst({ event: 'INSERT', table: 'ledger_invoices' }, async (refused, other) => {
      await world.runDue()
      await assert.rejects(world.runAt('2028-01-01T10:00:00Z'), /an account could not be renewed \(1\)/)
      assert.deepEqual(await statuses(refused, other), [
        [[30, 'paid']],
        [
          [30, 'paid'],
          [30, 'open'], // collected by the next job
        ],
      ])
    })
  })

  it('holds up none behind an account that somebody has locked, on a cluster too', async () => {
    world.clock.set('2027-12-01T10:00:00Z')
    await refusingFirst({ event: 'INSERT', table: 'ledger_invoices' }, async (_, locked) => {
      const third = await firm('pm_good')
      await world.install(third.id, tasks)
      world.clock.set('2028-01-01T10:00:00Z')
      const { database } = world.services
      await database.platform('write', async (tx) => {
        await tx.selectFrom('billing_accounts').select('tenant_id').where('tenant_id', '=', locked).forUpdate().execute()
        const onCluster = { ...world.services, database: { ...database, isCluster: true } }
        await assert.rejects(renewDue(onCluster), /an account could not be renewed \(1\)/)
      })
      assert.deepEqual((await invoicesOf(third.id)).length, 2)
    })
  })

  it('holds up no other’s mails, and nothing that is charged', async () => {
    world.clock.set('2027-12-01T10:00:00Z')
    await refusingFirst({ event: 'INSERT', table: 'email_logs' }, async (refused, other) => {
      await assert.rejects(world.runDue(), /an invoice could not be mailed \(1\)/)
      assert.deepEqual(await statuses(refused, other), [[[30, 'paid']], [[30, 'paid']]])
      const mailed = await world.sql(
        `SELECT tenant_id::int AS id FROM email_logs WHERE tenant_id IN ($1, $2) AND notification_type = 'billing.invoice_issued'`,
        [refused, other],
      )
      assert.deepEqual(mailed, [{ id: other }])
    })
  })

  it('holds up no other’s end, and no renewal', async () => {
    world.clock.set('2027-12-01T10:00:00Z')
    const giveUp = { event: 'UPDATE', table: 'ledger_invoices', when: `NEW.status = 'uncollectible'` } as const
    await refusingFirst(giveUp, async (refused, other) => {
      const third = await firm('pm_good')
      await world.install(third.id, tasks)
      await world.sql(
        `UPDATE ledger_invoices SET failing_since = issued_at, next_attempt_at = NULL WHERE tenant_id IN ($1, $2)`,
        [refused, other],
      )
      await assert.rejects(world.runAt('2028-01-01T10:00:00Z'), /an invoice could not be given up \(1\)/)
      const [first, second, renewed] = await statuses(refused, other, third.id)
      assert.deepEqual([first![0], second![0], renewed!.length], [[30, 'open'], [30, 'uncollectible'], 2])
    })
  })
})

describe('several workers at once', () => {
  it('bill each period once, with numbers that have no gaps', async () => {
    world.clock.set('2027-08-01T10:00:00Z')
    const firms = await Promise.all(Array.from({ length: 6 }, () => firm('pm_good')))
    await Promise.all(firms.flatMap(({ id }) => [world.install(id, leads), world.install(id, tasks, 'yearly')]))
    await Promise.all(Array.from({ length: 4 }, () => world.runAt('2027-11-02T10:00:00Z')))
    for (const { id } of firms) {
      const lines = (await invoicesOf(id)).flatMap((one) => one.lines)
      assert.equal(lines.filter(({ module_id }) => module_id === leads).length, 4)
      assert.equal(lines.filter(({ module_id }) => module_id === tasks).length, 1)
    }
    const numbers = (await world.sql('SELECT number FROM ledger_invoices ORDER BY id')).map(({ number }) =>
      Number(number.slice(4)),
    )
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      numbers.map((_, n) => n + 1),
    )
  })

  it('install a module once', async () => {
    const { id } = await firm('pm_good')
    const both = await Promise.all([1, 2].map(() => admin.post(`/tenants/${id}/modules`, { module_id: leads })))
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 422])
    assert.equal((await invoicesOf(id)).length, 1)
  })
})
