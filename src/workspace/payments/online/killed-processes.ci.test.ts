/** Kills processes (`kill -9`) while they post a provider's events: recovered by repeated events, or by the sweep alone. */
// CI stage: kills
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, it } from 'node:test'
import { Stripe } from 'stripe'
import { startTest } from '#test/harness.ts'
import { type Service, startService } from '#test/service.ts'
import { SECRET_KEY, startStripe, WEBHOOK_SECRET } from '#test/stand-ins/stripe.ts'
import { KILLS } from '#test/worker-process.ts'
import { findLost } from './looking-after.ts'

/** Invoices paid during the life of one process. */
const PAID = 6

const stripe = await startStripe(() => world.services.clock.now())
after(() => stripe.close())
const world = await startTest({ machineClock: true, env: { STRIPE_API_BASE: stripe.url } })
world.secret(SECRET_KEY)
world.secret(WEBHOOK_SECRET)

it('makes one payment of each that was paid, whenever the process ends', async (t) => {
  const firm = await world.workspace({ modules: ['payments', 'invoices'] })
  const method = { secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET, is_enabled: true }
  const hook = new URL((await firm.owner.put('/payment-methods/stripe', method)).body.data.webhook_url).pathname
  const { webhooks } = new Stripe('sk_test_nothing')

  async function paidInvoice(): Promise<number> {
    const lines = [{ name: 'Oak desk', quantity: 1, unit_price: 100, tax_rate: 19 }]
    const { id } = (await firm.owner.post('/invoices', { title: 'Desks', currency: 'EUR', lines })).body.data
    await firm.owner.post(`/invoices/${id}/send`)
    const token = (await firm.owner.post(`/invoices/${id}/pay-link`)).body.data.url.split('/').at(-1)
    world.secret(token)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const page = await world.root.post(`/pay/invoices/${token}`, '', { headers })
    assert.equal(page.status, 303, page.raw.toString())
    stripe.payOnPage(String(page.headers.location).split('/').at(-1)!, 'pm_card')
    return id
  }
  /** Returns the status of the reply; undefined where the process ended before it. */
  async function tell(url: string, event: object) {
    const payload = JSON.stringify(event)
    const signature = webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET })
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
    return fetch(url + hook, { method: 'POST', body: payload, headers }).then(
      ({ status }) => status,
      () => undefined,
    )
  }
  const payments = () =>
    world.sql(
      `SELECT c.invoice_id::int AS id, p.status, p.amount::float, p.allocated_amount::float AS allocated FROM payments p
       JOIN payment_checkouts c ON c.tenant_id = p.tenant_id AND c.uuid = p.checkout_uuid ORDER BY c.invoice_id`,
    )

  const { DATABASE_URL, APP_KEY, BASE_URL } = world.services.config
  const env = { APP_KEY: APP_KEY.toString('base64'), BASE_URL, STRIPE_API_BASE: stripe.url, DATABASE_POOL_SIZE: '6' }
  const running = new Set<Service>()
  after(() => {
    for (const service of running) service.process.kill('SIGKILL')
  })
  const invoices: number[] = []
  const again: object[] = []
  const [broken, posted] = [[] as number[], [] as number[]]
  for (let kill = 0; kill < KILLS; kill++) {
    await world.sql('DELETE FROM rate_limits')
    for (let n = 0; n < PAID; n++) invoices.push(await paidInvoice())
    const told = stripe.events.splice(0)
    const service = await startService({ ...env, DATABASE_URL: DATABASE_URL! }, 'api')
    running.add(service)
    let left = 1 + ((kill * 5) % told.length)
    const enough = Promise.withResolvers<void>()
    const sent = [...told, ...told].map(async (event) => {
      const status = await tell(service.url, event)
      if (--left === 0) enough.resolve()
      return status
    })
    await enough.promise
    const ended = once(service.process, 'close')
    service.process.kill('SIGKILL')
    await ended
    running.delete(service)
    const statuses = await Promise.all(sent)
    assert.deepEqual(
      statuses.filter((status) => status !== undefined && status !== 200),
      [],
    )
    broken.push(statuses.filter((status) => status === undefined).length)
    posted.push((await payments()).length)
    // The provider repeats the events of every second process; the other ones' are lost.
    if (kill % 2) again.push(...told)
  }
  t.diagnostic(`without reply: ${broken}, payments after each kill: ${posted}`)
  assert.ok(
    broken.some((n) => n > 0),
    'no process was killed in its work',
  )

  world.clock.set(new Date(Date.now() + 20 * 60_000).toISOString())
  const service = await startService({ ...env, DATABASE_URL: DATABASE_URL! }, 'api')
  running.add(service)
  const swept = findLost.handle(world.services, { data: {} }, { signal: AbortSignal.timeout(60_000), module: undefined })
  const statuses = await Promise.all([...again.map((event) => tell(service.url, event)), swept.then(() => 200)])
  assert.deepEqual(new Set(statuses), new Set([200]))
  await world.drain()
  assert.deepEqual(
    await payments(),
    invoices.map((id) => ({ id, status: 'posted', amount: 119, allocated: 119 })),
  )
  for (const id of invoices) assert.equal((await firm.owner.get(`/invoices/${id}`)).body.data.balance_due, 0)
})
