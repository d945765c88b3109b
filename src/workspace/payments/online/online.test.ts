import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startTest, type Workspace } from '#test/harness.ts'
import { mailsTo } from '#test/operator.ts'
import { SECRET_KEY, startStripe, WEBHOOK_SECRET } from '#test/stand-ins/stripe.ts'

import { creditorReference, epcText } from './credit-transfer.ts'
import type { Method } from './methods.ts'

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

const line = { name: 'Oak desk', quantity: 1, unit_price: 100, tax_rate: 19 }
async function invoice(more: object = {}, by = firm.owner): Promise<{ id: number; number: string }> {
  const made = await by.post('/invoices', { title: 'Desks', currency: 'EUR', lines: [line], ...more })
  const { id } = made.body.data
  assert.equal((await by.post(`/invoices/${id}/send`)).status, 200)
  return made.body.data
}
async function payLink(id: number): Promise<string> {
  const { status, body } = await firm.owner.post(`/invoices/${id}/pay-link`)
  assert.equal(status, 200, body.message)
  const [, token] = /^http:\/\/atrium\.test\/pay\/invoices\/([\w-]{43})$/.exec(body.data.url)!
  world.secret(token!)
  return token!
}
const pageOf = async (token: string) => {
  const { status, raw, headers } = await world.root.get(`/pay/invoices/${token}`)
  return { status, text: raw.toString(), headers }
}

describe('a pay link', () => {
  it('is had for an unpaid invoice, by who may send it, where a way to pay is on', async () => {
    const { id } = await invoice()
    const viewer = await firm.user(['invoices.view', 'invoices.assign'])
    assert.equal((await viewer.post(`/invoices/${id}/pay-link`)).status, 403)
    const sender = await firm.user(['invoices.view', 'invoices.send'])
    assert.equal((await sender.post(`/invoices/${id}/pay-link`)).status, 404)
    const draft = await firm.owner.post('/invoices', { title: 'Desks', lines: [line] })
    refusedOn('status', await firm.owner.post(`/invoices/${draft.body.data.id}/pay-link`))
    const other = await world.workspace({ modules: ['payments', 'invoices'] })
    const none = await invoice({}, other.owner)
    refusedOn('payment_method', await other.owner.post(`/invoices/${none.id}/pay-link`))
    assert.equal((await other.owner.post(`/invoices/${id}/pay-link`)).status, 404)
  })

  it('shows its invoice, what is left to pay and the code, without a script, and says nothing of other links', async () => {
    const { id, number } = await invoice({ title: 'Desks & <b>chairs</b>' })
    const token = await payLink(id)
    const { status, text, headers } = await pageOf(token)
    assert.equal(status, 200)
    for (const said of [number, 'Desks &amp; &lt;b&gt;chairs', 'EUR 119.00', 'DE89 3704 0044 0532 0130 00', 'data:image/svg+xml'])
      assert.ok(text.includes(said), said)
    assert.ok(!/<script|https?:\/\//.test(text))
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    const pdf = await world.root.get(`/pay/invoices/${token}/pdf`)
    assert.deepEqual([pdf.status, pdf.raw.subarray(0, 5).toString()], [200, '%PDF-'])
    assert.equal((await pageOf(`${token.slice(0, -1)}_`)).status, 404)
    const stored = JSON.stringify(await world.sql('SELECT * FROM pay_links'))
    assert.ok(!stored.includes(token))
  })

  it('says when there is nothing to pay any more, and ends with its time and its invoice', async () => {
    const paid = await invoice()
    const token = await payLink(paid.id)
    const allocations = [{ invoice_id: paid.id, amount: 19 }]
    await firm.owner.post('/payments', { amount: 19, currency: 'EUR', method: 'cash', allocations })
    assert.match((await pageOf(token)).text, /EUR 100\.00/)
    await firm.owner.post('/payments', {
      amount: 100,
      currency: 'EUR',
      method: 'cash',
      allocations: [{ invoice_id: paid.id, amount: 100 }],
    })
    const after = (await pageOf(token)).text
    assert.ok(after.includes('This invoice is paid') && !after.includes('DE89'))
    const voided = await invoice()
    const second = await payLink(voided.id)
    await firm.owner.post(`/invoices/${voided.id}/void`)
    assert.match((await pageOf(second)).text, /was cancelled/)
    await firm.owner.del(`/invoices/${voided.id}`)
    assert.equal((await pageOf(second)).status, 404)
    await firm.owner.del(`/invoices/${voided.id}/force`)
    assert.equal((await world.sql('SELECT 1 FROM pay_links WHERE invoice_id = $1', [voided.id])).length, 0)
    await world.sql(`UPDATE pay_links SET expires_at = created_at WHERE invoice_id = $1`, [paid.id])
    assert.equal((await pageOf(token)).status, 404)
  })

  it('comes along with the mail that carries the invoice', async () => {
    const { id } = await invoice()
    const sent = await firm.owner.post(`/invoices/${id}/email`, {
      to: ['ann@nordwind.test'],
      subject: 'Invoice',
      message: 'Here.',
    })
    assert.equal(sent.status, 200, sent.body.message)
    const [mail] = await mailsTo(world, 'ann@nordwind.test')
    const [, token] = /\/pay\/invoices\/([\w-]{43})/.exec(mail!.body_text)!
    world.secret(token!)
    assert.equal((await pageOf(token!)).status, 200)
  })
})

describe('transfers', () => {
  const method = { account_holder: 'Nordwind GmbH', iban: IBAN, bic: null } as Method

  it('carry a creditor reference whose check digits are those of ISO 11649', () => {
    assert.equal(creditorReference('539007547034'), 'RF18539007547034')
    assert.equal(creditorReference('INV-00042'), creditorReference('inv 00042'))
    assert.match(creditorReference('INV-00042')!, /^RF\d\dINV00042$/)
    assert.equal(creditorReference(`X${'0'.repeat(20)}1234`)!.length, 25)
    assert.equal(creditorReference('№-'), undefined)
  })

  it('are told to banking apps in the words of EPC069-12, in EUR alone', () => {
    const text = epcText(method, { number: '539007547034', currency: 'EUR' }, '119.5')
    assert.equal(text, `BCD\n002\n1\nSCT\n\nNordwind GmbH\n${IBAN}\nEUR119.50\n\nRF18539007547034`)
    assert.ok(Buffer.byteLength(text!) <= 331)
    assert.equal(epcText(method, { number: '1', currency: 'USD' }, '119.5'), undefined)
    assert.equal(epcText(method, { number: '1', currency: 'EUR' }, '0'), undefined)
  })

  const zbar = spawnSync('zbarimg', ['--version']).status === 0
  it('are read from the rendered PDF as they were written', { skip: !zbar && 'zbarimg is not installed' }, async () => {
    const { id, number } = await invoice()
    const { raw } = await firm.owner.get(`/invoices/${id}/pdf`)
    const folder = mkdtempSync(join(tmpdir(), 'atrium-qr-'))
    try {
      writeFileSync(join(folder, 'invoice.pdf'), raw)
      execFileSync('pdftoppm', ['-r', '150', '-png', join(folder, 'invoice.pdf'), join(folder, 'page')])
      const read = execFileSync('zbarimg', ['-q', '--raw', join(folder, 'page-1.png')], { encoding: 'utf8' })
      assert.equal(read.trimEnd(), epcText(method, { number, currency: 'EUR' }, '119'))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
