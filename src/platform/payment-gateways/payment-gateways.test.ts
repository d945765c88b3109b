import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTest } from '#test/harness.ts'
import { operator } from '#test/operator.ts'
import { CREDENTIALS, SECRET_KEY, startStripe, WEBHOOK_SECRET } from '#test/stand-ins/stripe.ts'

const standIn = await startStripe(() => world.clock.now())
after(() => standIn.close())
const world = await startTest({ env: { STRIPE_API_BASE: standIn.url } })
const { admin } = world
let stripe: number
let manual: number

const refusedOn = (field: string, { status, body }: { status: number; body: { errors?: object } }) =>
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]])

before(async () => {
  const { body } = await admin.get('/payment-gateways')
  stripe = body.data.find((one: { code: string }) => one.code === 'stripe').id
  manual = body.data.find((one: { code: string }) => one.code === 'manual').id
})

describe('payment gateways', () => {
  it('begin with the manual one, which is the default and can’t be disabled (BIL-12)', async () => {
    const { body } = await admin.get('/payment-gateways')
    const states = body.data.map(({ code, is_enabled, is_default, is_configured }: Record<string, unknown>) => [
      code,
      is_enabled,
      is_default,
      is_configured,
    ])
    assert.deepEqual(states, [
      ['stripe', false, false, false],
      ['manual', true, true, true],
    ])
    refusedOn('gateway', await admin.post(`/payment-gateways/${manual}/disable`))
    refusedOn('gateway', await admin.post(`/payment-gateways/${stripe}/enable`))
    refusedOn('gateway', await admin.post(`/payment-gateways/${stripe}/default`))
    refusedOn('gateway', await admin.post(`/payment-gateways/${stripe}/test-connection`))
  })

  it('take who holds billing.manage for every other permission (BIL-07)', async () => {
    const manager = await operator(world, ['billing.manage'])
    const reader = await operator(world, ['payment-gateways.list', 'payment-gateways.read'])
    assert.equal((await manager.put(`/payment-gateways/${stripe}/mode`, { mode: 'sandbox' })).status, 200)
    assert.equal((await reader.get(`/payment-gateways/${stripe}/logs`)).status, 200)
    assert.equal((await reader.put(`/payment-gateways/${stripe}/mode`, { mode: 'sandbox' })).status, 403)
  })

  it('merge credentials, keep them encrypted and never return them (BIL-08)', async () => {
    const { secret_key, webhook_secret, publishable_key } = CREDENTIALS
    const first = await admin.put(`/payment-gateways/${stripe}/config`, { credentials: { secret_key, publishable_key } })
    assert.deepEqual(
      [first.status, first.body.data.is_configured, first.body.data.credentials.webhook_secret],
      [200, false, { set: false, last4: null }],
    )
    const second = await admin.put(`/payment-gateways/${stripe}/config`, { credentials: { webhook_secret } })
    assert.deepEqual(
      [second.body.data.is_configured, second.body.data.credentials.secret_key],
      [true, { set: true, last4: '0001' }],
    )
    const told = await Promise.all(
      ['', '/logs', '/webhook-status', '/capabilities'].map((path) => admin.get(`/payment-gateways/${stripe}${path}`)),
    )
    for (const { raw } of [first, second, ...told])
      for (const secret of Object.values(CREDENTIALS)) assert.ok(!raw.includes(secret))
    const stored = JSON.stringify(await world.sql('SELECT p.*, s.* FROM payment_gateways p, platform_settings s'))
    const logged = JSON.stringify(await world.sql('SELECT * FROM audit_logs'))
    assert.ok(!stored.includes(SECRET_KEY) && !logged.includes(SECRET_KEY))
    refusedOn('credentials.password', await admin.put(`/payment-gateways/${stripe}/config`, { credentials: { password: 'x' } }))
    refusedOn(
      'credentials.secret_key',
      await admin.put(`/payment-gateways/${manual}/config`, { credentials: { secret_key: 'x' } }),
    )
  })

  it('refuse keys of the other mode, and change nothing then', async () => {
    const path = `/payment-gateways/${stripe}/config`
    const shown = async () => (await admin.get(`/payment-gateways/${stripe}`)).body.data
    const before = await shown()
    for (const [mode, credentials, field] of [
      ['sandbox', { secret_key: 'sk_live_0001' }, 'credentials.secret_key'],
      ['sandbox', { secret_key: 'rk_live_0001' }, 'credentials.secret_key'],
      ['live', { publishable_key: 'pk_test_0001' }, 'credentials.publishable_key'],
    ] as const) {
      const refused = await admin.put(path, { mode, credentials })
      refusedOn(field, refused)
      assert.match(refused.body.message, new RegExp(`Must be a key of the mode ${mode}`))
    }
    assert.deepEqual(await shown(), before)
  })

  it('make the first configured provider the default, and tell the settings', async () => {
    const { body } = await admin.get(`/payment-gateways/${stripe}`)
    assert.partialDeepStrictEqual(body.data, { is_enabled: true, is_default: true })
    const settings = await world.sql('SELECT key, value FROM platform_settings ORDER BY key')
    assert.deepEqual(settings, [
      { key: 'default_payment_gateway', value: 'stripe' },
      { key: 'stripe_enabled', value: true },
      { key: 'stripe_webhook_configured', value: true },
    ])
    refusedOn('gateway', await admin.post(`/payment-gateways/${stripe}/disable`))
  })

  it('have a default that exists and is enabled, also where the settings are changed (BIL-12)', async () => {
    const put = (settings: object) => admin.put('/system-settings', { settings })
    const setting = async (key: string) => (await admin.get('/system-settings')).body.data.settings.billing[key]
    refusedOn('settings.stripe_enabled', await put({ stripe_enabled: false }))
    refusedOn('settings.default_payment_gateway', await put({ default_payment_gateway: 'pigeon', invoice_prefix: 'P-' }))
    assert.deepEqual(
      [await setting('stripe_enabled'), await setting('default_payment_gateway'), await setting('invoice_prefix')],
      [true, 'stripe', 'INV-'],
    )
    assert.equal((await put({ default_payment_gateway: 'manual', stripe_enabled: false })).status, 200)
    refusedOn('settings.default_payment_gateway', await put({ default_payment_gateway: 'stripe' }))
    assert.equal((await put({ default_payment_gateway: 'stripe', stripe_enabled: true })).status, 200)
  })

  it('keep the two modes apart (BIL-09)', async () => {
    refusedOn('mode', await admin.put(`/payment-gateways/${stripe}/mode`, { mode: 'test' }))
    const live = await admin.put(`/payment-gateways/${stripe}/mode`, { mode: 'live' })
    assert.partialDeepStrictEqual(live.body.data, { mode: 'live', is_configured: false })
    const other = await admin.put(`/payment-gateways/${stripe}/config`, { mode: 'sandbox', credentials: {} })
    assert.deepEqual([other.body.data.mode, other.body.data.credentials.secret_key.set], ['sandbox', true])
    const back = await admin.put(`/payment-gateways/${stripe}/mode`, { mode: 'sandbox' })
    assert.equal(back.body.data.is_configured, true)
  })

  it('have an enabled default however fast it is changed (BIL-12)', async () => {
    const state = async () => (await admin.get(`/payment-gateways/${stripe}`)).body.data
    const makeDefault = () => admin.post(`/payment-gateways/${stripe}/default`)
    const ways = [
      () => admin.post(`/payment-gateways/${stripe}/disable`),
      () => admin.put('/system-settings', { settings: { stripe_enabled: false } }),
    ]
    for (let n = 0; n < 12; n++) {
      await admin.post(`/payment-gateways/${manual}/default`)
      await admin.post(`/payment-gateways/${stripe}/enable`)
      const disable = ways[n % 2]!
      const replies = await Promise.all(n % 3 ? [makeDefault(), disable()] : [disable(), makeDefault()])
      const { is_default, is_enabled } = await state()
      assert.ok(is_enabled || !is_default, `${n}: ${replies.map(({ status }) => status)}`)
      assert.equal(replies.filter(({ status }) => status === 200).length, 1)
    }
    await admin.post(`/payment-gateways/${stripe}/enable`)
    assert.equal((await makeDefault()).status, 200)
  })

  it('test the connection and log that, without the credentials', async () => {
    const good = await admin.post(`/payment-gateways/${stripe}/test-connection`)
    assert.deepEqual(good.body.data, { ok: true, message: 'Connected: test account.' })
    await admin.put(`/payment-gateways/${stripe}/config`, { credentials: { secret_key: 'sk_test_wrong_key' } })
    const wrong = await admin.post(`/payment-gateways/${stripe}/test-connection`)
    assert.equal(wrong.body.data.ok, false)
    assert.match(wrong.body.data.message, /Invalid API Key/)
    await admin.put(`/payment-gateways/${stripe}/config`, { credentials: { secret_key: SECRET_KEY } })
    const logs = await admin.get(`/payment-gateways/${stripe}/logs`)
    assert.deepEqual(
      logs.body.data.map(({ action, is_success }: Record<string, unknown>) => [action, is_success]),
      [
        ['test-connection', false],
        ['test-connection', true],
      ],
    )
    const { components } = (await world.central().get('/openapi.json')).body as any
    const { examples } = components.schemas.PaymentGatewayLog.properties.action
    assert.deepEqual(examples, ['test-connection'], 'as the API document has it')
    for (const log of ['logs', 'webhook-logs'])
      assert.equal((await admin.get(`/payment-gateways/${stripe}/${log}?sort=updated_at`)).status, 422, 'neither ever changes')
    assert.ok(!logs.raw.includes('sk_test_wrong_key') && !wrong.raw.includes('sk_test_wrong_key'))
    assert.notEqual((await admin.get(`/payment-gateways/${stripe}`)).body.data.last_tested_at, null)
  })

  it('map prices where the provider needs them (BIL-10, BIL-11)', async () => {
    const [{ id }] = await world.sql(`SELECT id FROM modules WHERE key = 'leads'`)
    const module_id = Number(id)
    refusedOn('mappings', await admin.put(`/payment-gateways/${manual}/module-prices`, { mappings: [] }))
    refusedOn(
      'mappings.0.module_id',
      await admin.put(`/payment-gateways/${stripe}/module-prices`, { mappings: [{ module_id: 999_999 }] }),
    )
    refusedOn(
      'mappings.1.module_id',
      await admin.put(`/payment-gateways/${stripe}/module-prices`, {
        mappings: ['price_a', 'price_b'].map((monthly_price_id) => ({ module_id, monthly_price_id })),
      }),
    )
    const mapped = await admin.put(`/payment-gateways/${stripe}/module-prices`, {
      mappings: [{ module_id, monthly_price_id: 'price_known' }],
    })
    const shown = await admin.get(`/payment-gateways/${stripe}/module-prices`)
    assert.deepEqual(mapped.body.data, shown.body.data)
    assert.deepEqual(shown.body.data.mappings, [
      {
        module_id,
        module: { id: module_id, key: 'leads', name: 'Leads' },
        monthly_price_id: 'price_known',
        yearly_price_id: null,
      },
    ])
    const { body } = await admin.get(`/payment-gateways/${manual}/capabilities`)
    assert.deepEqual(body.data, { needs_price_mapping: false, has_webhook: false, modes: ['sandbox', 'live'], credentials: [] })
  })
})

describe('a webhook', async () => {
  const { Stripe } = await import('stripe')
  const { webhooks } = new Stripe('sk_test_nothing')
  const event = (id: string, more: object = {}) =>
    JSON.stringify({
      id,
      object: 'event',
      type: 'customer.created',
      created: 1_790_000_000,
      livemode: false,
      data: { object: {} },
      ...more,
    })
  const deliver = (payload: string, options: { secret?: string; timestamp?: number; path?: string; header?: string } = {}) => {
    const { secret = WEBHOOK_SECRET, timestamp, path = '/webhooks/gateways/stripe' } = options
    const header = options.header ?? webhooks.generateTestHeaderString({ payload, secret, timestamp })
    return world.app.inject({
      method: 'POST',
      url: path,
      payload,
      headers: { 'content-type': 'application/json', 'stripe-signature': header },
    })
  }

  it('is taken by the bytes’ signature alone', async () => {
    const payload = event('evt_1')
    const now = Math.floor(Date.parse(world.clock.now()) / 1000)
    const refused = await Promise.all([
      deliver(payload, { secret: 'whsec_other' }),
      deliver(payload, { timestamp: now - 301 }),
      deliver(payload, { header: 't=1,v1=abc' }),
      deliver(payload, { header: '' }),
      deliver(`${payload} `, { header: webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET }) }),
      deliver('not JSON'),
      deliver('{}'),
    ])
    assert.deepEqual(
      refused.map(({ statusCode }) => statusCode),
      refused.map(() => 400),
    )
    assert.equal((await deliver(payload, { path: '/webhooks/gateways/manual' })).statusCode, 404)
    assert.equal((await deliver(payload, { path: '/webhooks/gateways/nobody' })).statusCode, 404)
    assert.deepEqual(await world.sql('SELECT * FROM payment_gateway_events'), [])
    assert.equal((await deliver(`{"a":"${'x'.repeat(1024 * 1024)}"}`)).statusCode, 413)
  })

  it('is logged once, however often and wherever it is delivered, and acknowledged even when it says nothing to us', async () => {
    const all = await Promise.all(
      [1, 2, 3, 4].map((n) => deliver(event('evt_2'), { path: n % 2 ? undefined : '/payment-provider/webhook' })),
    )
    assert.deepEqual(
      all.map(({ statusCode }) => statusCode),
      [200, 200, 200, 200],
    )
    await deliver(
      event('evt_3', {
        type: 'payment_intent.succeeded',
        data: { object: { id: 'pi_foreign', status: 'succeeded', metadata: {} } },
      }),
    )
    const marks = { atrium_payment: '3f333df6-90a4-4fda-8dd3-9485d27cee36', atrium_tenant: '1' }
    const intent = { id: 'pi_1', status: 'succeeded', metadata: marks }
    const charge = { payment_intent: 'pi_1', currency: 'usd', amount_refunded: 100, metadata: marks }
    const odd: [type: string, object: unknown, more?: object][] = [
      ['payment_intent.succeeded', { ...intent, metadata: { ...marks, atrium_payment: '-'.repeat(36) } }],
      ['payment_intent.succeeded', { ...intent, metadata: { ...marks, atrium_tenant: '1e3' } }],
      ['payment_intent.succeeded', { ...intent, id: 'pi\0' }],
      ['payment_intent.succeeded', null],
      ['payment_intent.payment_failed', { ...intent, status: 'x\0', last_payment_error: { message: '\0' } }],
      ['charge.refunded', { ...charge, amount_refunded: 'many' }],
      ['charge.refunded', { ...charge, amount_refunded: -1e300 }],
      ['charge.refunded', { ...charge, currency: 'none' }],
      ['constructor', intent],
      ['a\0b', intent],
      ['customer.created', {}, { created: -62_200_000_000 }],
      ['customer.created', {}, { created: 1e15 }],
    ]
    for (const [n, [type, object, more]] of odd.entries())
      assert.equal((await deliver(event(`odd\0_${n}`, { type, data: { object }, ...more }))).statusCode, 200, `${type} ${n}`)
    await world.sql(`DELETE FROM payment_gateway_events WHERE event_id LIKE 'odd%'`)
    const bare = JSON.stringify({ id: 'evt_4', type: 'payment_intent.succeeded' })
    assert.equal((await deliver(bare)).statusCode, 200)
    const { body } = await admin.get(`/payment-gateways/${stripe}/webhook-logs`)
    const seen = body.data.map((one: Record<string, unknown>) => [one.event_id, one.deliveries, one.outcome])
    assert.deepEqual(seen, [
      ['evt_4', 1, 'ignored'],
      ['evt_3', 1, 'ignored'],
      ['evt_2', 4, 'ignored'],
    ])
    const status = await admin.get(`/payment-gateways/${stripe}/webhook-status`)
    assert.partialDeepStrictEqual(status.body.data, { url: 'http://atrium.test/webhooks/gateways/stripe', is_configured: true })
    assert.notEqual(status.body.data.last_received_at, null)
  })
})
