import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'
import { SECRET_KEY, startStripe, WEBHOOK_SECRET } from '#test/stand-ins/stripe.ts'

const IBAN = 'DE89370400440532013000'
const stripe = await startStripe(() => world.services.clock.now())
after(() => stripe.close())
const world = await startTest({ env: { STRIPE_API_BASE: stripe.url } })
world.secret(SECRET_KEY)
world.secret(WEBHOOK_SECRET)
let firm: Workspace

const TRANSFER = { account_holder: 'Nordwind GmbH', iban: IBAN, bic: 'COBADEFFXXX', is_enabled: true }

const refusedOn = (fields: string | string[], { status, body }: { status: number; body: { errors?: object } }) =>
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [fields].flat()])

before(async () => {
  firm = await world.workspace({ modules: ['payments', 'invoices', 'contacts', 'companies'] })
})

describe('payment methods', () => {
  it('are off until somebody with payments.configure says otherwise', async () => {
    const manager = await firm.user(['payments.view', 'payments.create', 'payments.update', 'settings.update'])
    for (const code of ['bank_transfer', 'stripe']) {
      assert.equal((await manager.get(`/payment-methods/${code}`)).status, 403)
      assert.equal((await manager.put(`/payment-methods/${code}`, { is_enabled: false })).status, 403)
      const { body } = await firm.owner.get(`/payment-methods/${code}`)
      assert.equal(body.data.is_enabled, false)
    }
    assert.equal((await firm.owner.get('/payment-methods/pigeon')).status, 404)
  })

  it('take an IBAN whose check digits are right, as people write it', async () => {
    const put = (body: object) => firm.owner.put('/payment-methods/bank_transfer', body)
    refusedOn(['account_holder', 'iban'], await put({ is_enabled: true }))
    for (const iban of ['DE89370400440532013001', 'DE98370400440532013000', 'DE89', 'not an IBAN', `${IBAN}${IBAN}`])
      refusedOn('iban', await put({ iban }))
    for (const bic of ['COBA', 'COBADEFFXXXX', '12345678']) refusedOn('bic', await put({ bic }))
    const saved = await put({ ...TRANSFER, iban: 'de89 3704 0044 0532 0130 00', bic: 'cobadeffxxx' })
    assert.deepEqual([saved.status, saved.body.data], [200, TRANSFER])
    refusedOn('iban', await put({ iban: null }))
    await put({ bic: null })
    assert.deepEqual((await firm.owner.get('/payment-methods/bank_transfer')).body.data, { ...TRANSFER, bic: null })
  })

  it('keep the keys of Stripe to themselves', async () => {
    const put = (body: object) => firm.owner.put('/payment-methods/stripe', body)
    refusedOn('secret_key', await put({ secret_key: 'pk_test_0001' }))
    refusedOn('webhook_secret', await put({ webhook_secret: 'secret' }))
    refusedOn(['secret_key', 'webhook_secret'], await put({ is_enabled: true }))
    await put({ secret_key: SECRET_KEY })
    refusedOn('webhook_secret', await put({ is_enabled: true }))
    const { body, raw } = await put({ webhook_secret: WEBHOOK_SECRET, is_enabled: true })
    assert.partialDeepStrictEqual(body.data, {
      is_enabled: true,
      mode: 'sandbox',
      secret_key: { set: true, last4: '0001' },
      webhook_secret: { set: true, last4: '0001' },
    })
    assert.match(body.data.webhook_url, /\/webhooks\/payments\/[0-9a-f-]{36}$/)
    const shown = await firm.owner.get('/payment-methods/stripe')
    assert.deepEqual(shown.body.data, body.data)
    const stored = JSON.stringify(await world.sql('SELECT p.*, a.* FROM payment_methods p, audit_logs a'))
    for (const secret of [SECRET_KEY, WEBHOOK_SECRET])
      assert.ok(!raw.includes(secret) && !shown.raw.includes(secret) && !stored.includes(secret))
    refusedOn('secret_key', await put({ secret_key: null }))
  })

  it('belong to their workspace', async () => {
    const other = await world.workspace({ modules: ['payments'] })
    const { body } = await other.owner.get('/payment-methods/bank_transfer')
    assert.deepEqual(body.data, { is_enabled: false, account_holder: null, iban: null, bic: null })
    const none = await world.workspace({ modules: [] })
    assert.equal((await none.owner.get('/payment-methods/stripe')).body.code, 'MODULE_NOT_INSTALLED')
  })
})
