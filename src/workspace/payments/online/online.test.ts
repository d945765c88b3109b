import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { Stripe } from 'stripe'
import { startTest, type Workspace } from '#test/harness.ts'
import { mailsTo } from '#test/operator.ts'
import { SECRET_KEY, startStripe, WEBHOOK_SECRET } from '#test/stand-ins/stripe.ts'

import { creditorReference, epcText } from './credit-transfer.ts'
import { findLost } from './looking-after.ts'
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
    refusedOn('account_holder', await put({ account_holder: 'Evil\nDE02120300000000202051\nEUR1' }))
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
    const stored = JSON.stringify([await world.sql('SELECT * FROM payment_methods'), await world.sql('SELECT * FROM audit_logs')])
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

const { webhooks } = new Stripe('sk_test_nothing')
const seconds = () => Math.floor(Date.parse(world.services.clock.now()) / 1000)
/** Sends an event signed as Stripe does, by the generator of its own package. */
async function tell(url: string, event: object, secret = WEBHOOK_SECRET) {
  const raw = JSON.stringify(event)
  const signature = webhooks.generateTestHeaderString({ payload: raw, secret, timestamp: seconds() })
  return world.root.post(new URL(url).pathname, raw, {
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
  })
}
const form = (token: string, fields: Record<string, string> = {}) =>
  world.root.post(`/pay/invoices/${token}`, new URLSearchParams(fields).toString(), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
/** Opens the provider's page and returns its session id. */
async function checkout(token: string, fields: Record<string, string> = {}): Promise<string> {
  const reply = await form(token, fields)
  assert.equal(reply.status, 303, reply.raw.toString())
  return String(reply.headers.location).split('/').at(-1)!
}
const owed = async (id: number) => {
  const { status, balance_due, payment_allocations } = (await firm.owner.get(`/invoices/${id}`)).body.data
  return { status, balance_due, paid: payment_allocations.length }
}
const cameBy = (id: number) =>
  world.sql(
    `SELECT p.status, p.amount::float, p.allocated_amount::float AS allocated FROM payments p
     JOIN payment_checkouts c ON c.tenant_id = p.tenant_id AND c.uuid = p.checkout_uuid WHERE c.invoice_id = $1 ORDER BY p.id`,
    [id],
  )
/** Returns the items in another, fixed order. */
const shuffled = <T>(all: T[]): T[] =>
  all
    .map((one, n) => ({ one, at: (n * 7919) % 101 }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)

describe('paying online', () => {
  let hook: string
  before(async () => {
    const { body } = await firm.owner.put('/payment-methods/stripe', {
      secret_key: SECRET_KEY,
      webhook_secret: WEBHOOK_SECRET,
      is_enabled: true,
      allow_partial: false,
    })
    hook = body.data.webhook_url
  })
  beforeEach(async () => {
    stripe.events.length = 0
    await world.sql('DELETE FROM rate_limits')
  })
  const events = () => stripe.events.splice(0)

  it('speaks the customer’s language on the provider’s page', async () => {
    const company_id = (await firm.owner.post('/companies', { name: 'Werft', language: 'de' })).body.data.id
    const { id, number } = await invoice({ company_id })
    const session = stripe.sessions.get(await checkout(await payLink(id)))!
    assert.deepEqual([session.locale, session.line_items[0].price_data.product_data.name], ['de', `Rechnung ${number}`])
  })

  it('has no page for an invoice on which nothing is left to pay', async () => {
    const { id } = await invoice({ lines: [{ ...line, unit_price: 0 }] })
    const { status, body } = await firm.owner.post(`/invoices/${id}/pay-link`)
    assert.deepEqual([status, body.errors], [422, { status: ['Nothing is left to pay of this invoice.'] }])
  })

  it('leads to the provider’s page over what is left, whatever the form says, and to the same page again', async () => {
    const { id } = await invoice()
    const token = await payLink(id)
    const page = await pageOf(token)
    assert.ok(page.text.includes('Pay online') && !page.text.includes('name="amount"'))
    assert.match(String(page.headers['content-security-policy']), new RegExp(`form-action 'self' ${stripe.url}`))
    const session = await checkout(token, { amount: '1' })
    assert.equal(stripe.sessions.get(session)!.line_items[0].price_data.unit_amount, '11900')
    assert.deepEqual(await Promise.all([checkout(token), checkout(await payLink(id))]), [session, session])
    assert.match(
      (await world.root.get(`/pay/invoices/${token}`, { query: { returned: '1' } })).raw.toString(),
      /confirmed within/,
    )
    stripe.broken = 500
    const { id: other } = await invoice()
    assert.equal((await form(await payLink(other))).status, 503)
    stripe.broken = 0
  })

  it('leads all who ask at the same moment to one page', async () => {
    const { id } = await invoice()
    const [token, other] = [await payLink(id), await payLink(id)]
    stripe.together = stripe.asked.length + 2 // both requests arrive before either has a page
    const led = await Promise.all([checkout(token), checkout(other)])
    stripe.together = 0
    assert.equal(new Set(led).size, 1, led.join())
    assert.equal(await checkout(token), led[0])
  })

  it('makes one payment of events that come a hundred times, doubled and shuffled', async () => {
    const { id } = await invoice()
    const intent = stripe.payOnPage(await checkout(await payLink(id)), 'pm_card')
    const told = events()
    const replies = await Promise.all(
      shuffled(Array.from({ length: 100 }, (_, n) => told[n % told.length]!)).map((event) => tell(hook, event)),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    assert.deepEqual(await cameBy(id), [{ status: 'posted', amount: 119, allocated: 119 }])
    assert.deepEqual(await owed(id), { status: 'paid', balance_due: 0, paid: 1 })
    stripe.refund(intent.id, 4000)
    stripe.refund(intent.id, 5000)
    const refunds = events()
    await Promise.all(shuffled([...refunds, ...refunds, ...told]).map((event) => tell(hook, event)))
    assert.equal((await owed(id)).balance_due, 50)
    assert.deepEqual(
      (await cameBy(id)).filter(({ status }: { status: string }) => status === 'posted'),
      [{ status: 'posted', amount: 69, allocated: 69 }],
    )
    stripe.refund(intent.id, 11900)
    await tell(hook, events()[0]!)
    assert.deepEqual((await owed(id)).balance_due, 119)
    assert.ok((await cameBy(id)).every(({ status }: { status: string }) => status === 'voided'))
  })

  it('takes a refund that is told before its payment', async () => {
    const { id } = await invoice()
    const intent = stripe.payOnPage(await checkout(await payLink(id)), 'pm_card')
    stripe.refund(intent.id, 1900)
    for (const event of events().reverse()) assert.equal((await tell(hook, event)).status, 200)
    assert.deepEqual(await cameBy(id), [{ status: 'posted', amount: 100, allocated: 100 }])
  })

  it('pays no more of an invoice than is left, when two pay at once', async () => {
    await firm.owner.put('/payment-methods/stripe', { allow_partial: true })
    const { id } = await invoice()
    const token = await payLink(id)
    for (const amount of ['0', '119.01', '1.005', 'all', '-1']) assert.equal((await form(token, { amount })).status, 422, amount)
    const sessions = await Promise.all([checkout(token), checkout(token, { amount: '60,00' })])
    for (const session of sessions) stripe.payOnPage(session, 'pm_card')
    await Promise.all(events().map((event) => tell(hook, event)))
    assert.partialDeepStrictEqual(await owed(id), { status: 'paid', balance_due: 0 })
    const came = await cameBy(id)
    assert.deepEqual(came.map(({ amount }: { amount: number }) => amount).sort(), [119, 60])
    assert.equal(
      came.reduce((sum: number, { allocated }: { allocated: number }) => sum + allocated, 0),
      119,
    )
    await firm.owner.put('/payment-methods/stripe', { allow_partial: false })
  })

  it('reads the sum as the language of the page writes it', async () => {
    await firm.owner.put('/payment-methods/stripe', { allow_partial: true })
    const company_id = (await firm.owner.post('/companies', { name: 'Reederei', language: 'de' })).body.data.id
    const { id } = await invoice({ company_id, lines: [{ ...line, unit_price: 2000 }] })
    const token = await payLink(id)
    const { text } = await pageOf(token)
    assert.match(text, /name="amount" value="2\.380,00"/)
    assert.match(text, /<p class="due">2\.380,00 EUR<\/p>/)
    for (const [amount, units] of [
      ['1.000', '100000'],
      ['1.000,50', '100050'],
      ['2.380,00', '238000'],
    ] as const)
      assert.equal(stripe.sessions.get(await checkout(token, { amount }))!.line_items[0].price_data.unit_amount, units)
    for (const amount of ['2.380,01', '1.00.0', '1,000,00']) assert.equal((await form(token, { amount })).status, 422, amount)
    await firm.owner.put('/payment-methods/stripe', { allow_partial: false })
  })

  it('asks nobody to pay again while the bank is moving the money', async () => {
    const { id } = await invoice()
    const token = await payLink(id)
    stripe.slow.add('pm_debit')
    const intent = stripe.payOnPage(await checkout(token), 'pm_debit')
    assert.ok((await pageOf(token)).text.includes('Pay online'))
    for (const event of events()) assert.equal((await tell(hook, event)).status, 200)
    const waiting = await pageOf(token)
    assert.ok(waiting.text.includes('A payment is under way.') && !waiting.text.includes('Pay online'))
    assert.ok(!waiting.text.includes('DE89'), 'nor by transfer')
    const again = await form(token)
    assert.ok(again.status === 200 && again.raw.toString().includes('A payment is under way.'))
    stripe.finish(intent.id, 'requires_payment_method')
    for (const event of events()) await tell(hook, event)
    assert.ok((await pageOf(token)).text.includes('Pay online'))
  })

  it('asks for what is left beside the part that the bank is moving already', async () => {
    await firm.owner.put('/payment-methods/stripe', { allow_partial: true })
    const { id } = await invoice()
    const token = await payLink(id)
    stripe.slow.add('pm_debit')
    stripe.payOnPage(await checkout(token, { amount: '60' }), 'pm_debit')
    for (const event of events()) await tell(hook, event)
    const { text } = await pageOf(token)
    assert.ok(text.includes('A payment is under way.') && text.includes('Pay online'))
    assert.match(text, /<p class="due">EUR 59\.00<\/p>/)
    assert.match(text, /name="amount" value="59\.00"/)
    assert.match(text.slice(text.indexOf('class="transfer"')), /EUR 59\.00/)
    assert.equal((await form(token, { amount: '59.01' })).status, 422)
    await firm.owner.put('/payment-methods/stripe', { allow_partial: false })
    const session = stripe.sessions.get(await checkout(token))!
    assert.equal(session.line_items[0].price_data.unit_amount, '5900')
  })

  it('is not offered over a third decimal, which no card is charged', async () => {
    const three = await invoice({ currency: 'KWD', lines: [{ ...line, unit_price: 1.234, tax_rate: 0 }] })
    const token = await payLink(three.id)
    assert.ok(!(await pageOf(token)).text.includes('Pay online'))
    assert.equal((await form(token)).status, 422)
    const two = await invoice({ currency: 'KWD', lines: [{ ...line, unit_price: 1.23, tax_rate: 0 }] })
    assert.equal((await form(await payLink(two.id))).status, 303)
  })

  it('finds what was paid when no event ever came', async () => {
    const { id } = await invoice()
    const unpaid = await invoice()
    await checkout(await payLink(unpaid.id))
    stripe.payOnPage(await checkout(await payLink(id)), 'pm_card')
    events()
    world.clock.set(new Date(Date.parse(world.services.clock.now()) + 15 * 60_000).toISOString())
    await findLost.handle(world.services, { data: {} }, { signal: AbortSignal.timeout(10_000), module: undefined })
    await world.drain()
    assert.deepEqual(await cameBy(id), [{ status: 'posted', amount: 119, allocated: 119 }])
    assert.equal((await owed(unpaid.id)).status, 'unpaid')
  })

  it('finds what was paid when posting was broken off, once, also when the event comes again', async () => {
    const { id } = await invoice()
    stripe.payOnPage(await checkout(await payLink(id)), 'pm_card')
    const told = events()
    // Simulates a lost process or connection after the checkout was marked and before the payment was inserted.
    await world.sql(
      `CREATE FUNCTION app.broken_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '57P01'; END $$`,
    )
    await world.sql('CREATE TRIGGER broken_off BEFORE INSERT ON payments FOR EACH ROW EXECUTE FUNCTION app.broken_off()')
    try {
      for (const event of told.filter(({ type }) => type === 'payment_intent.succeeded'))
        assert.ok((await tell(hook, event)).status >= 500)
    } finally {
      await world.sql('DROP TRIGGER broken_off ON payments')
      await world.sql('DROP FUNCTION app.broken_off()')
    }
    assert.deepEqual([await cameBy(id), (await owed(id)).status], [[], 'unpaid'])
    world.clock.set(new Date(Date.parse(world.services.clock.now()) + 15 * 60_000).toISOString())
    await findLost.handle(world.services, { data: {} }, { signal: AbortSignal.timeout(10_000), module: undefined })
    await Promise.all([world.drain(), ...told.map((event) => tell(hook, event))])
    assert.deepEqual(await cameBy(id), [{ status: 'posted', amount: 119, allocated: 119 }])
  })

  it('believes its own provider alone', async () => {
    const { id } = await invoice()
    stripe.payOnPage(await checkout(await payLink(id)), 'pm_card')
    const told = events()
    const [event] = told
    assert.equal((await tell(hook, event!, 'whsec_another_0001')).status, 400)
    assert.equal((await tell(hook.replace(/[^/]+$/, crypto.randomUUID()), event!)).status, 404)
    const rival = await world.workspace({ modules: ['payments', 'invoices'] })
    const theirs = (
      await rival.owner.put('/payment-methods/stripe', { secret_key: SECRET_KEY, webhook_secret: 'whsec_rival_0001' })
    ).body
    assert.equal((await tell(theirs.data.webhook_url, event!, 'whsec_rival_0001')).status, 200)
    assert.deepEqual(await cameBy(id), [])
    await firm.owner.put('/payment-methods/stripe', { is_enabled: false })
    for (const one of told) assert.equal((await tell(hook, one)).status, 200)
    assert.equal((await cameBy(id)).length, 1) // received money is posted all the same
  })
})
