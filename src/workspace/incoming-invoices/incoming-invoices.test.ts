/** Incoming e-invoices: reading, matching, processing, and rejected files. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, beforeEach, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'
import { textOfPdf } from '#workspace/mcp/pdf-text.ts'
import { type Invoice, invoiceXml } from './samples.ts'

const world = await startTest()
const modules = ['invoices', 'credit-notes', 'companies', 'expenses', 'vendors', 'purchase-orders', 'incoming-invoices']
let firm: Workspace
let owner: Person

before(async () => {
  firm = await world.workspace({ modules })
  owner = firm.owner
})
beforeEach(() => world.sql('DELETE FROM rate_limits'))

const upload = (content: string | Buffer, name = 'invoice.xml', by = owner) =>
  by.post('/incoming-invoices', { file: new File([Buffer.from(content)], name) })
let numbers = 0
/** An invoice with a number of its own. */
const sample = (more: Invoice = {}) => invoiceXml({ number: `R-${++numbers}`, ...more })
async function received(content: string | Buffer, name?: string) {
  const { status, body } = await upload(content, name)
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
async function refused(content: string | Buffer, name?: string) {
  const { status, body } = await upload(content, name)
  assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['file']], JSON.stringify(body))
  return body.errors!.file![0]!
}
const expense = async (id: number) => (await owner.get(`/expenses/${id}`)).body.data

describe('an e-invoice that came in', () => {
  it('is shown as it was read, kept byte for byte, and becomes a draft expense', async () => {
    const xml = sample()
    const got = await received(xml, 'Rechnung 1.xml')
    assert.deepEqual(
      [got.kind, got.status, got.format, got.is_valid, got.problems, got.seller_name, got.issue_date, got.due_date],
      ['invoice', 'booked', 'ubl', true, [], 'Papierwerk Nord GmbH', '2026-11-20', '2026-12-20'],
    )
    assert.deepEqual([got.total, got.tax_total, got.amount_due, got.currency], [119, 19, 119, 'EUR'])
    const { seller, lines, taxes, totals, payment } = got.data
    assert.deepEqual([seller.vat_id, seller.city, seller.country], ['DE811111111', 'Kiel', 'DE'])
    assert.deepEqual([lines.length, lines[0].name, lines[0].quantity, lines[0].price, lines[0].net], [1, 'Paper, A4', 20, 5, 100])
    assert.deepEqual([taxes, totals.net], [[{ category: 'S', rate: 19, base: 100, tax: 19, reason: null }], 100])
    assert.deepEqual(payment.means, [{ code: '58', iban: 'DE89370400440532013000', account_name: 'Papierwerk', bic: null }])
    assert.equal(got.sha256, createHash('sha256').update(xml).digest('hex'))
    const { status, raw, headers } = await owner.get(`/incoming-invoices/${got.id}/file`)
    assert.deepEqual([status, raw.toString(), headers['content-type']], [200, xml, 'application/xml'])
    const { title, amount, tax_amount, expense_date, status: state, currency } = await expense(got.expense_id)
    assert.deepEqual(
      [title, amount, tax_amount, expense_date, state, currency],
      [`Papierwerk Nord GmbH ${got.number}`, 119, 19, '2026-11-20', 'draft', 'EUR'],
    )
  })

  it('is the vendor’s whose tax id it names, however that is written, else of that name', async () => {
    const vendor = async (body: object) => (await owner.post('/vendors', body)).body.data.id
    const [byId, byName] = [await vendor({ name: 'Paper', tax_id: 'de 811.222-222' }), await vendor({ name: 'Holzhaus KG' })]
    const one = await received(sample({ vatId: 'DE811222222' }))
    assert.deepEqual([one.vendor_id, one.vendor_matched_by, (await expense(one.expense_id)).vendor_id], [byId, 'tax_id', byId])
    const two = await received(sample({ vatId: 'DE811333333', seller: 'Holzhaus KG' }))
    assert.deepEqual([two.vendor_id, two.vendor_matched_by], [byName, 'name'])
    await vendor({ name: 'Paper again', tax_id: 'DE811222222' })
    const three = await received(sample({ vatId: 'DE811222222' }))
    assert.deepEqual([three.vendor_id, three.notices.map(({ field }: any) => field)], [null, ['seller']])
  })

  it('becomes the expense of the order that it names, once', async () => {
    const vendor_id = (await owner.post('/vendors', { name: 'Ordered', tax_id: 'DE811444444' })).body.data.id
    const order = (
      await owner.post('/purchase-orders', {
        ...{ title: 'Paper', vendor_id, currency: 'EUR' },
        lines: [{ description: 'Paper', quantity: 20, unit_price: 5, tax_rate: 19 }],
      })
    ).body.data
    assert.equal((await owner.post(`/purchase-orders/${order.id}/send`)).status, 200)
    const one = await received(sample({ vatId: 'DE811444444', order: order.number }))
    assert.deepEqual([one.purchase_order.number, one.notices], [order.number, []])
    assert.equal((await expense(one.expense_id)).purchase_order_id, order.id)
    assert.equal((await owner.get(`/purchase-orders/${order.id}`)).body.data.converted_expense_id, one.expense_id)
    const two = await received(sample({ vatId: 'DE811444444', order: order.number, price: 6 }))
    assert.deepEqual([two.status, two.expense_id], ['received', null])
    const { expense_id } = (await owner.post(`/incoming-invoices/${two.id}/expense`)).body.data
    assert.equal((await expense(expense_id)).purchase_order_id, null)
    assert.match(JSON.stringify(two.notices), /has become an expense already.*comes to EUR 119\.00, the invoice to EUR 142\.80/)
    const other = await received(sample({ vatId: 'DE811555555', order: 'PO-99999' }))
    assert.match(JSON.stringify(other.notices), /No purchase order has the number PO-99999/)
  })

  it('tells what its order comes to only to whoever may see that', async () => {
    const vatId = 'DE811121212'
    const vendor_id = (await owner.post('/vendors', { name: 'Dearer', tax_id: vatId })).body.data.id
    const lines = [{ description: 'Paper', quantity: 20, unit_price: 6, tax_rate: 19 }]
    const order = (await owner.post('/purchase-orders', { title: 'Paper', vendor_id, currency: 'EUR', lines })).body.data
    assert.equal((await owner.post(`/purchase-orders/${order.id}/send`)).status, 200)
    const { id, notices } = await received(sample({ vatId, order: order.number }))
    const field = 'order_reference'
    const full = [{ field, message: `${order.number} comes to EUR 142.80, the invoice to EUR 119.00.` }]
    const brief = [{ field, message: `${order.number} comes to another amount than the invoice.` }]
    assert.deepEqual(notices, full)
    const [clerk, buyer] = [
      await firm.user(['incoming-invoices.view', 'purchase-orders.assign']),
      await firm.user(['incoming-invoices.view', 'purchase-orders.view']),
    ]
    const seen = async (by: Person) => (await by.get(`/incoming-invoices/${id}`)).body.data.notices
    assert.deepEqual([await seen(owner), await seen(clerk), await seen(buyer)], [full, brief, brief])
    await owner.post(`/purchase-orders/${order.id}/assign`, { assigned_to: buyer.id })
    assert.deepEqual(await seen(buyer), full)
  })

  it('is for no order that its sender may not see, and makes none an expense that they may not convert', async () => {
    const vatId = 'DE811999999'
    const vendor_id = (await owner.post('/vendors', { name: 'Guarded', tax_id: vatId })).body.data.id
    const order = (
      await owner.post('/purchase-orders', {
        ...{ title: 'Paper', vendor_id, currency: 'EUR' },
        lines: [{ description: 'Paper', quantity: 20, unit_price: 5, tax_rate: 19 }],
      })
    ).body.data
    assert.equal((await owner.post(`/purchase-orders/${order.id}/send`)).status, 200)
    const clerk = (...orders: string[]) =>
      firm.user(['view', 'create', 'update'].map((action) => `incoming-invoices.${action}`).concat(orders))
    const sent = async (by: Person, more: Invoice) => {
      const { status, body } = await upload(sample({ order: order.number, ...more }), undefined, by)
      assert.equal(status, 201, JSON.stringify(body))
      return body.data
    }
    const ofOthers = await clerk('purchase-orders.view', 'purchase-orders.convert')
    for (const by of [await clerk(), ofOthers, await clerk('purchase-orders.assign', 'purchase-orders.convert')]) {
      const got = await sent(by, { vatId })
      assert.deepEqual([got.status, got.purchase_order_id], ['booked', null])
      assert.match(JSON.stringify(got.notices), /No purchase order has the number/)
    }
    const seeing = await clerk('purchase-orders.view', 'purchase-orders.assign')
    const held = await sent(seeing, { vatId })
    for (const got of [held, await sent(owner, { vatId, price: 6 }), await sent(owner, { vatId: 'DE811000001' })])
      assert.deepEqual([got.status, got.purchase_order_id], ['received', order.id], JSON.stringify(got.notices))
    const book = (by: Person) => by.post(`/incoming-invoices/${held.id}/expense`)
    assert.deepEqual([(await book(seeing)).status, (await book(ofOthers)).status], [403, 403])
    const converted = async () => (await owner.get(`/purchase-orders/${order.id}`)).body.data.converted_expense_id
    assert.equal(await converted(), null)
    assert.equal((await book(owner)).body.data.expense_id, await converted())
  })

  it('says what is wrong with it, and then waits for somebody', async () => {
    const got = await received(sample({ total: '120.00', country: '' }))
    assert.deepEqual(
      [got.status, got.is_valid, got.expense_id, got.problems.map(({ rule, field }: any) => `${rule} ${field}`)],
      ['received', false, null, ['BR-09 seller.country', 'BR-CO-15 totals.total', 'BR-CO-16 totals.due']],
    )
    const vendor_id = (await owner.post('/vendors', { name: 'Chosen' })).body.data.id
    const matched = await owner.put(`/incoming-invoices/${got.id}`, { vendor_id })
    assert.deepEqual([matched.body.data.vendor_id, matched.body.data.vendor_matched_by], [vendor_id, 'user'])
    const booked = (await owner.post(`/incoming-invoices/${got.id}/expense`)).body.data
    assert.deepEqual([booked.status, (await expense(booked.expense_id)).vendor_id], ['booked', vendor_id])
    for (const [path, body] of [
      ['expense', {}],
      ['close', {}],
      ['reject', { reason: 'No' }],
    ] as const) {
      const again = await owner.post(`/incoming-invoices/${got.id}/${path}`, body)
      assert.deepEqual([again.status, Object.keys(again.body.errors!)], [422, ['status']])
    }
    assert.deepEqual((await owner.put(`/incoming-invoices/${got.id}`, { vendor_id: null })).status, 422)
    assert.deepEqual(Object.keys((await owner.del(`/incoming-invoices/${got.id}`)).body.errors!), ['status'])
  })

  it('that was booked wrongly is booked anew, rejected or deleted once its expense is deleted', async () => {
    const vendor_id = (await owner.post('/vendors', { name: 'Right', tax_id: 'DE811777777' })).body.data.id
    const order = (
      await owner.post('/purchase-orders', {
        ...{ title: 'Paper', vendor_id, currency: 'EUR' },
        lines: [{ description: 'Paper', quantity: 20, unit_price: 5, tax_rate: 19 }],
      })
    ).body.data
    assert.equal((await owner.post(`/purchase-orders/${order.id}/send`)).status, 200)
    const restored = async (id: number) => {
      const { status, body } = await owner.post(`/expenses/${id}/restore`)
      return [status, Object.keys(body.errors ?? {})]
    }
    const one = await received(sample({ vatId: 'DE811777777', order: order.number }))
    assert.equal((await owner.del(`/expenses/${one.expense_id}`)).status, 200)
    assert.deepEqual(await restored(one.expense_id), [200, []], 'nothing else was done with it yet')
    assert.equal((await owner.post(`/incoming-invoices/${one.id}/reject`, { reason: 'No' })).status, 422)
    await owner.del(`/expenses/${one.expense_id}`)
    assert.equal((await owner.put(`/incoming-invoices/${one.id}`, { vendor_id })).status, 200)
    const anew = (await owner.post(`/incoming-invoices/${one.id}/expense`)).body.data
    assert.equal((await expense(anew.expense_id)).purchase_order_id, order.id)
    assert.equal((await owner.get(`/purchase-orders/${order.id}`)).body.data.converted_expense_id, anew.expense_id)
    assert.deepEqual(await restored(one.expense_id), [422, ['status']])
    await owner.del(`/expenses/${anew.expense_id}`)
    const rejected = await owner.post(`/incoming-invoices/${one.id}/reject`, { reason: 'Not ours' })
    assert.deepEqual([rejected.status, rejected.body.data.status, rejected.body.data.expense_id], [200, 'rejected', null])
    assert.deepEqual(await restored(anew.expense_id), [422, ['status']])
    assert.equal((await owner.get(`/purchase-orders/${order.id}`)).body.data.converted_expense_id, null)

    const two = await received(sample())
    assert.equal((await owner.del(`/incoming-invoices/${two.id}`)).status, 422)
    await owner.del(`/expenses/${two.expense_id}`)
    assert.equal((await owner.del(`/incoming-invoices/${two.id}`)).status, 200)
    assert.deepEqual(await restored(two.expense_id), [422, ['status']])
    assert.equal((await owner.post(`/incoming-invoices/${two.id}/restore`)).status, 200)
    assert.equal((await owner.post(`/incoming-invoices/${two.id}/expense`)).status, 200)
  })

  it('is booked once, whether it is booked anew or its expense restored first', async () => {
    const { id, expense_id } = await received(sample())
    await owner.del(`/expenses/${expense_id}`)
    const replies = await Promise.all([
      owner.post(`/expenses/${expense_id}/restore`),
      owner.post(`/incoming-invoices/${id}/expense`),
      owner.post(`/incoming-invoices/${id}/expense`),
    ])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422, 422])
  })

  it('is not booked by itself where it is for somebody else, its own, or of an order that is not open', async () => {
    const waiting = async (more: Invoice, field: string) => {
      const got = await received(sample(more))
      assert.deepEqual([got.status, got.expense_id, got.is_valid], ['received', null, true])
      assert.ok(
        got.notices.some((notice: any) => notice.field === field && !('holds' in notice)),
        JSON.stringify(got.notices),
      )
      assert.equal((await owner.post(`/incoming-invoices/${got.id}/expense`)).body.data.status, 'booked')
    }
    await owner.put('/settings', { settings: { vat_id: 'DE999999999' } })
    await waiting({}, 'buyer.vat_id')
    await owner.put('/settings', { settings: { vat_id: 'DE822222222' } })
    await waiting({ vatId: 'DE 822.222.222' }, 'seller.vat_id')
    assert.equal((await received(sample())).status, 'booked')
    await owner.put('/settings', { settings: { vat_id: '' } })
    const vendor_id = (await owner.post('/vendors', { name: 'Drafted', tax_id: 'DE811888888' })).body.data.id
    const order = await owner.post('/purchase-orders', {
      ...{ title: 'Paper', vendor_id, currency: 'EUR' },
      lines: [{ description: 'Paper', quantity: 20, unit_price: 5, tax_rate: 19 }],
    })
    const { id, number } = order.body.data
    await waiting({ vatId: 'DE811888888', order: number }, 'order_reference')
    assert.equal((await owner.post(`/purchase-orders/${id}/cancel`)).status, 200)
    await waiting({ vatId: 'DE811888888', order: number }, 'order_reference')
  })

  it('may come to as much as one of our own', async () => {
    for (const price of ['99000000000.24', '75691589529.52', '117809999882.19']) {
      const got = await received(sample({ quantity: 1, price: Number(price) }))
      assert.deepEqual([got.status, got.data.totals.net], ['booked', Number(price)])
      assert.equal((await expense(got.expense_id)).amount, got.total)
    }
  })

  it('that takes money off is no expense, and is closed', async () => {
    const got = await received(sample({ credit: true }))
    assert.deepEqual([got.kind, got.status, got.is_valid], ['credit_note', 'received', true])
    assert.deepEqual(Object.keys((await owner.post(`/incoming-invoices/${got.id}/expense`)).body.errors!), ['total'])
    assert.equal((await owner.post(`/incoming-invoices/${got.id}/close`)).body.data.status, 'closed')
    assert.equal((await owner.post(`/incoming-invoices/${got.id}/reopen`)).body.data.status, 'received')
  })

  it('warns of an account until somebody has approved what names it', async () => {
    const vatId = 'DE811666111'
    const from = (iban: string) => received(sample({ vatId, iban }))
    const isWarnedOf = ({ notices }: { notices: { field: string }[] }) => notices.some(({ field }) => field === 'payment.means')
    const usual = 'DE89370400440532013000'
    const other = 'GB33BUKB20201555555555'
    const first = await from(usual)
    const second = await from(other)
    assert.deepEqual([first, second, await from(other)].map(isWarnedOf), [false, true, true], 'the second vouches for no third')
    assert.equal((await owner.post(`/expenses/${second.expense_id}/status`, { status: 'approved' })).status, 200)
    assert.deepEqual([await from(other), await from(usual)].map(isWarnedOf), [false, false], 'the seller has two')
    const without = sample({ vatId }).replace(/<cac:PaymentMeans>.*<\/cac:PaymentMeans>/, '')
    assert.ok(!isWarnedOf(await received(without)))
    assert.ok(isWarnedOf(await from('FR1420041010050500013M02606')), 'though the last one names none')
  })

  it('warns of another account than last time, and of another addressee', async () => {
    await owner.put('/settings', { settings: { vat_id: 'DE999999999' } })
    const first = await received(sample({ vatId: 'DE811666666' }))
    assert.deepEqual(
      first.notices.map(({ field }: any) => field),
      ['seller', 'buyer.vat_id'],
    )
    const second = await received(sample({ vatId: 'DE811666666', iban: 'GB33BUKB20201555555555' }))
    assert.ok(second.notices.some(({ field, message }: any) => field === 'payment.means' && message.includes(first.number)))
    await owner.put('/settings', { settings: { vat_id: '' } })
  })
})

describe('the page of an e-invoice', () => {
  it('is drawn of the XML, and says what that says', async () => {
    const got = await received(sample({ order: 'PO-1', item: 'Paper <A4> & ink' }))
    const { status, headers, raw } = await owner.get(`/incoming-invoices/${got.id}/pdf`)
    assert.deepEqual([status, headers['content-type'], raw.subarray(0, 5).toString()], [200, 'application/pdf', '%PDF-'])
    const { texts } = await textOfPdf(raw)
    for (const said of [
      'Papierwerk Nord GmbH',
      got.number,
      'Paper <A4> & ink',
      '119.00',
      'DE89370400440532013000',
      'Nordwind GmbH',
    ])
      assert.ok(texts[0]!.includes(said), `${said} in ${texts[0]}`)
  })
})

describe('the same invoice', () => {
  it('is refused a second time, and may come again once it was rejected', async () => {
    const xml = sample()
    const { id, expense_id } = await received(xml)
    assert.match(await refused(xml), new RegExp(`received on .* already, as incoming invoice ${id}`))
    assert.match(await refused(xml.replace('<cbc:Note>', '<cbc:Note>Copy. ')), /already/)
    assert.ok(expense_id)
    const wrong = sample({ total: '1.00' })
    const waits = await received(wrong)
    const rejected = await owner.post(`/incoming-invoices/${waits.id}/reject`, { reason: 'The total is wrong.' })
    assert.deepEqual([rejected.body.data.status, rejected.body.data.rejection_reason], ['rejected', 'The total is wrong.'])
    const reopening = async () => {
      const { data } = (await owner.get(`/incoming-invoices/${waits.id}/actions`)).body
      return data.find(({ key }: { key: string }) => key === 'reopenIncomingInvoice').reason?.message ?? null
    }
    assert.equal(await reopening(), null)
    const again = await received(wrong)
    assert.equal(await reopening(), 'An invoice of this seller with this number is here already.')
    assert.deepEqual(Object.keys((await owner.post(`/incoming-invoices/${waits.id}/reopen`)).body.errors!), ['file'])
    assert.notEqual(again.id, waits.id)
    const { errors } = (await owner.post(`/incoming-invoices/${again.id}/reopen`)).body
    assert.match(errors!.status![0]!, /^It is not possible to reopen an incoming invoice that is received/)
    assert.equal((await owner.post(`/incoming-invoices/${again.id}/close`)).status, 200)
    assert.equal((await owner.post(`/incoming-invoices/${again.id}/reopen`)).status, 200)
  })

  it('is one, whoever sends it at once', async () => {
    const xml = sample()
    const replies = await Promise.all(Array.from({ length: 6 }, () => upload(xml)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 422, 422, 422, 422, 422])
    const [{ count }] = await world.sql('SELECT count(*) FROM incoming_invoices WHERE number = $1', [`R-${numbers}`])
    assert.equal(Number(count), 1)
  })
})

describe('a file', () => {
  it('that is none, or not that, is refused in words', async () => {
    assert.equal((await owner.post('/incoming-invoices', {})).status, 422)
    for (const [content, says] of [
      ['<a/>', /Is <a>; what is read are/],
      ['Dear sirs', /Holds text outside of its root/],
      ['{"a":1}', /no XML/],
      [sample().slice(0, 900), /Breaks off/],
      [sample().replace('<cbc:Note>', '<cbc:Note>&#x00;'), /has no room for, U\+0000/],
      [sample().replace('<cbc:ID>', '<cbc:ID>&nope;'), /names nothing known/],
      [sample().replace('?>', '?><!DOCTYPE Invoice SYSTEM "http://localhost:1/x.dtd">'), /document type/],
      [`<!DOCTYPE a [${'<!ENTITY b "&c;&c;">'.repeat(3)}]>${sample()}`, /document type/],
      [`${'<a>'.repeat(100_000)}`, /nested/],
      [`<a>${'<b/>'.repeat(600_000)}</a>`, /more than 500000 elements/],
      [sample().replace(/<cbc:ID>R-\d+<\/cbc:ID>/, ''), /no number/],
      [sample({ total: '1e9' }), /no total/],
      [sample({ total: '70368744177664.01' }), /more than can be held, 70368744177664\.00/],
      [sample({ total: `${'9'.repeat(40)}` }), /more than can be held/],
      ...['&#xD800;', '&#xFFFE;', '&#57343;', '&#x110000;', '&#x0001;'].map(
        (reference) => [sample().replace('<cbc:Note>', `<cbc:Note>${reference}`), /has no room for/] as const,
      ),
      [sample().replace('<cbc:Note>', '<cbc:Note languageID="&#xDFFF;">'), /has no room for, U\+DFFF/],
      [sample().replace('2026-11-20', '2026-02-30'), /no day of issue/],
      ['%PDF-1.7\nnothing', /no PDF|without an e-invoice/],
      [sample().replace('xsd:Invoice-2', 'xsd:Order-2'), /what is read are/],
    ] as const)
      assert.match(await refused(content), says)
    assert.match(await refused('GIF89a and more', 'a.gif'), /Must be an e-invoice/)
    const [{ count }] = await world.sql(`SELECT count(*) FROM stored_files WHERE tenant_id = $1 AND state = 'kept'`, [firm.id])
    const [{ count: rows }] = await world.sql('SELECT count(*) FROM incoming_invoices WHERE tenant_id = $1', [firm.id])
    assert.equal(count, rows, 'nothing that was refused is kept')
  })

  it('is nobody else’s', async () => {
    const { id } = await received(sample())
    const stranger = await world.workspace({ modules })
    const blind = await firm.user([])
    for (const path of [`/incoming-invoices/${id}`, `/incoming-invoices/${id}/file`]) {
      const replies = await Promise.all([stranger.owner, blind, world.anonymous].map((by) => by.get(path)))
      assert.deepEqual(
        replies.map(({ status }) => status),
        [404, 403, 401],
      )
    }
    const viewer = await firm.user(['incoming-invoices.view'])
    assert.equal((await upload(sample(), 'a.xml', viewer)).status, 403)
    assert.equal((await viewer.post(`/incoming-invoices/${id}/expense`)).status, 403)
  })
})

describe('our own e-invoices', () => {
  it('read back are what they were written from, in each format and from the PDF', async () => {
    const seller = {
      ...{ legal_name: 'Weinhandel Süd GmbH', street: 'Hafenstraße 4', postcode: '20457', city: 'Hamburg', country: 'DE' },
      ...{ vat_id: 'DE123456789', iban: 'DE89370400440532013000', einvoice_address: '9930:DE123456789' },
      ...{ contact_name: 'Ann Ash', contact_phone: '+49 40 123', contact_email: 'ann@wein.example', einvoice_on_send: 'warn' },
    }
    await owner.put('/settings', { settings: seller })
    const company = {
      ...{ name: 'Nordwind & Söhne', street: '1 rue du Port', postcode: '33000', city: 'Bordeaux', country: 'FR' },
      ...{ vat_id: 'FR12345678901', einvoice_address: '0088:4012345000009', buyer_reference: 'B-1' },
    }
    const company_id = (await owner.post('/companies', company)).body.data.id
    const lines = [
      { name: 'Wine (خمر) <3', quantity: 3, unit_price: 33.335, tax_rate: 19, discount_value: 10 },
      { name: 'Advice', quantity: 1.5, unit_code: 'HUR', unit_price: 80, tax_category: 'AE', discount_value: 0 },
    ]
    for (const kind of ['invoices', 'credit-notes']) {
      const dated = kind === 'invoices' ? { due_date: '2127-01-01' } : {}
      const draft = { title: 'Wine', company_id, line_discount_type: 'percent', order_reference: 'PO-7', lines, ...dated }
      const { id } = (await owner.post(`/${kind}`, draft)).body.data
      assert.equal((await owner.post(`/${kind}/${id}/${kind === 'invoices' ? 'send' : 'issue'}`)).status, 200)
      const issued = (await owner.get(`/${kind}/${id}`)).body.data
      const files = await Promise.all([
        ...['cii', 'ubl', 'xrechnung', 'peppol'].map(async (format) => [
          `${format}.xml`,
          (await owner.get(`/${kind}/${id}/e-invoice`, { query: { format } })).raw,
        ]),
        owner.get(`/${kind}/${id}/issued-document`).then(({ raw }) => ['invoice.pdf', raw]),
      ])
      for (const [name, raw] of files as unknown as [string, Buffer][]) {
        const stranger = await world.workspace({ modules })
        const { status, body } = await upload(raw, name, stranger.owner)
        assert.equal(status, 201, `${name}: ${JSON.stringify(body)}`)
        const { data, problems, kind: read, format } = body.data
        assert.deepEqual(problems, [], name)
        assert.deepEqual(
          [read, format],
          [kind === 'invoices' ? 'invoice' : 'credit_note', name.endsWith('pdf') ? 'pdf' : data.syntax],
        )
        assert.deepEqual(
          [data.number, data.totals.total, data.totals.tax, data.totals.due, data.order_reference, data.currency],
          [issued.number, issued.total, issued.tax_total, issued.total, 'PO-7', issued.currency],
        )
        assert.deepEqual([data.due_date, data.issue_date], [kind === 'invoices' ? '2127-01-01' : null, issued.issue_date])
        const of = ({ name, street, postcode, city, country, vat_id, einvoice_address }: any) => ({
          name,
          street,
          postcode,
          city,
          country,
          vat_id,
          einvoice_address,
        })
        assert.deepEqual(of(data.seller), of({ ...seller, name: seller.legal_name }), name)
        assert.deepEqual(of(data.buyer), of(company))
        assert.equal(data.payment.means[0].iban, seller.iban)
        const line = (one: any, net: string) => [one.name, one.quantity, Number(one[net]), one.rate ?? one.tax_rate]
        assert.deepEqual(
          data.lines.map((one: any) => [...line(one, 'net'), one.unit, one.adjustments[0]?.amount ?? 0]),
          issued.lines.map((one: any) => [
            one.name,
            one.quantity,
            one.line_total,
            one.tax_rate,
            one.unit_code,
            one.discount_amount,
          ]),
        )
      }
    }
  })
})
