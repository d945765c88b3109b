/** E-invoices through the API: access, content, missing data, and that they stay as issued. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, beforeEach, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
const modules = ['invoices', 'credit-notes', 'contacts', 'companies']
let firm: Workspace
let owner: Person
let company: number

const seller = {
  ...{ legal_name: 'Weinhandel Süd GmbH', street: 'Hafenstraße 4', postcode: '20457', city: 'Hamburg', country: 'DE' },
  ...{ vat_id: 'DE123456789', iban: 'DE89370400440532013000', einvoice_address: '9930:DE123456789' },
  ...{ contact_name: 'Ann Ash', contact_phone: '+49 40 123', contact_email: 'ann@wein.example' },
}
const buyer = {
  ...{ name: 'Nordwind & Söhne', street: '1 rue du Port', postcode: '33000', city: 'Bordeaux', country: 'FR' },
  ...{ vat_id: 'FR12345678901', einvoice_address: '0088:4012345000009', buyer_reference: 'B-1' },
}
const save = async (settings: object, by = owner) => assert.equal((await by.put('/settings', { settings })).status, 200)

before(async () => {
  firm = await world.workspace({ modules })
  owner = firm.owner
  company = (await owner.post('/companies', buyer)).body.data.id
})
beforeEach(async () => {
  await world.sql('DELETE FROM rate_limits')
  await save({ ...seller, einvoice_on_send: 'off' })
})

const lines = [
  { name: 'Wine', quantity: 3, unit_price: 33.335, tax_rate: 19, discount_value: 10 },
  { name: 'Advice', quantity: 1.5, unit_code: 'HUR', unit_price: 80, tax_category: 'AE', discount_value: 0 },
]
async function draft(more: object = {}, kind = 'invoices') {
  const dated = kind === 'invoices' ? { due_date: '2127-01-01' } : {}
  const { status, body } = await owner.post(`/${kind}`, {
    ...{ title: 'Wine', company_id: company, line_discount_type: 'percent', lines, ...dated, ...more },
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
async function issued(more: object = {}, kind = 'invoices') {
  const { id } = await draft(more, kind)
  const { status, body } = await owner.post(`/${kind}/${id}/${kind === 'invoices' ? 'send' : 'issue'}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}
const xmlOf = (kind: string, id: number, format = 'cii', by = owner) => by.get(`/${kind}/${id}/e-invoice`, { query: { format } })
const check = (kind: string, id: number, format = 'cii') => owner.get(`/${kind}/${id}/e-invoice/check`, { query: { format } })
const between = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<${name}[^>]*>([^<]*)<`, 'g'))].map(([, text]) => text)

describe('an e-invoice', () => {
  it('has the document’s totals, in each format', async () => {
    const { id, number, total, tax_total, subtotal, discount_total } = await issued()
    const net = (Math.round((subtotal - discount_total) * 100) / 100).toFixed(2)
    for (const format of ['cii', 'ubl', 'xrechnung', 'peppol']) {
      const { status, headers, raw } = await xmlOf('invoices', id, format)
      assert.deepEqual([status, headers['content-type']], [200, 'application/xml'], String(raw))
      assert.match(String(headers['content-disposition']), new RegExp(`^attachment; filename="${number}.xml"`))
      const xml = String(raw)
      const names =
        format === 'cii'
          ? ['ram:TaxBasisTotalAmount', 'ram:TaxTotalAmount', 'ram:DuePayableAmount']
          : ['cbc:TaxExclusiveAmount', 'cbc:TaxAmount', 'cbc:PayableAmount']
      assert.deepEqual(
        names.map((name) => between(xml, name)[0]),
        [net, tax_total.toFixed(2), total.toFixed(2)],
      )
      assert.ok(xml.includes('Nordwind &amp; Söhne') && xml.includes('VATEX-EU-AE'))
    }
  })

  it('of a credit note names the invoice that it corrects, in each format (BT-25, BT-26)', async () => {
    const invoice = await issued()
    const { id } = await issued({ corrects_invoice_id: invoice.id }, 'credit-notes')
    for (const format of ['cii', 'ubl', 'xrechnung', 'peppol']) {
      const xml = String((await xmlOf('credit-notes', id, format)).raw)
      const [number, day] =
        format === 'cii'
          ? ['ram:IssuerAssignedID', 'qdt:DateTimeString']
          : ['cac:InvoiceDocumentReference><cbc:ID', 'cbc:IssueDate']
      assert.deepEqual(between(xml, number)[0], invoice.number, xml)
      assert.equal(between(xml, day).at(-1), format === 'cii' ? invoice.issue_date.replaceAll('-', '') : invoice.issue_date)
    }
  })

  it('says the notes and the terms that are printed, as plain text (BT-22, BT-20)', async () => {
    const { id } = await issued({
      notes: '<h2>Bitte</h2><p>ohne <b>Glas</b> &amp; am #14# liefern</p>',
      terms_and_conditions: `<p>#SKONTO#TAGE=14</p><pre>\n#AAI#</pre><p>${'lang '.repeat(2000)}</p>`,
    })
    for (const format of ['cii', 'ubl', 'xrechnung', 'peppol']) {
      const xml = String((await xmlOf('invoices', id, format)).raw)
      const [note, terms] =
        format === 'cii'
          ? [between(xml, 'ram:Content'), between(xml, 'ram:SpecifiedTradePaymentTerms><ram:Description')]
          : [between(xml.split('<cac:')[0]!, 'cbc:Note'), between(xml, 'cac:PaymentTerms><cbc:Note')]
      assert.deepEqual(note, ['Wine\nBitte\nohne Glas &amp; am #14# liefern'])
      assert.match(terms[0]!, /^– #SKONTO#TAGE=14\n– # AAI#\nlang lang /)
      assert.ok(terms[0]!.endsWith('…') && terms[0]!.length <= 5010 && terms.length === 1, terms[0]!.slice(-20))
    }
  })

  it('is in the usual format where none is said', async () => {
    const { id } = await issued()
    assert.deepEqual(String((await xmlOf('invoices', id, '')).raw), String((await xmlOf('invoices', id, 'cii')).raw))
  })

  it('of a credit note is of type 381', async () => {
    const { id } = await issued({}, 'credit-notes')
    assert.deepEqual(between(String((await xmlOf('credit-notes', id)).raw), 'ram:TypeCode')[0], '381')
    assert.match(String((await xmlOf('credit-notes', id, 'peppol')).raw), /<CreditNote .*<cbc:CreditNoteTypeCode>381</)
  })

  it('stays as it was issued, whatever becomes of customer and settings', async () => {
    const { id } = await issued()
    const first = (await xmlOf('invoices', id)).raw
    await save({ city: 'Bremen', iban: '' })
    await owner.put(`/companies/${company}`, { city: 'Lyon' })
    assert.ok((await xmlOf('invoices', id)).raw.equals(first))
    const later = String((await xmlOf('invoices', (await issued()).id)).raw)
    assert.deepEqual(between(later, 'ram:CityName'), ['Bremen', 'Lyon'])
    await owner.put(`/companies/${company}`, { city: buyer.city })
  })

  it('that was issued is frozen, as its check says', async () => {
    const { id } = await draft()
    assert.equal((await check('invoices', id)).body.data.issued, null)
    assert.equal((await owner.post(`/invoices/${id}/send`)).status, 200)
    await world.drain()
    const { issued_document } = (await owner.get(`/invoices/${id}`)).body.data
    const { issued_at, sha256, xml_sha256 } = issued_document
    assert.ok(sha256)
    const { data } = (await check('invoices', id)).body
    assert.deepEqual(data, { ready: true, problems: [], issued: { issued_at, sha256, xml_sha256 } })
    await owner.put(`/companies/${company}`, { country: null })
    assert.deepEqual((await check('invoices', id)).body.data, data)
    await owner.put(`/companies/${company}`, { country: buyer.country })
  })

  it('is refused of a draft, and in a currency with three decimals', async () => {
    const { id } = await draft()
    const refused = await xmlOf('invoices', id)
    assert.deepEqual([refused.status, Object.keys(refused.body.errors!)], [422, ['status']])
    const voided = await draft()
    assert.equal((await owner.post(`/invoices/${voided.id}/void`)).status, 200)
    const unissued = await xmlOf('invoices', voided.id)
    assert.deepEqual([unissued.status, Object.keys(unissued.body.errors!)], [422, ['status']])
    const dinars = await issued({ currency: 'KWD' })
    for (const reply of [await xmlOf('invoices', dinars.id), await check('invoices', dinars.id)])
      assert.deepEqual([reply.status, Object.keys(reply.body.errors!)], [422, ['format']])
    assert.equal((await xmlOf('invoices', id, 'pdf')).status, 422)
  })

  it('is nobody else’s', async () => {
    const { id } = await issued()
    const stranger = await world.workspace({ modules })
    const blind = await firm.user([])
    const own = await firm.user(['invoices.view'])
    for (const path of [`/invoices/${id}/e-invoice`, `/invoices/${id}/e-invoice/check`]) {
      const replies = await Promise.all([stranger.owner, blind, own, world.anonymous].map((by) => by.get(path)))
      assert.deepEqual(
        replies.map(({ status }) => status),
        [404, 403, 404, 401],
      )
    }
  })
})

describe('check', () => {
  it('names what is missing where it is put right, of a draft too', async () => {
    await save({ country: '', contact_phone: '' })
    const { id } = await draft({
      company_id: (await owner.post('/companies', { name: 'New' })).body.data.id,
      lines: [{ ...lines[0], tax_rate: 0 }],
    })
    const { ready, problems } = (await check('invoices', id)).body.data
    assert.deepEqual(
      [ready, problems.map(({ rule, field }: any) => `${rule} ${field}`)],
      [false, ['BR-09 settings.country', 'BR-11 company.country', 'BR-CO-04 lines.0.tax_category']],
    )
    const german = (await check('invoices', id, 'xrechnung')).body.data.problems.map(({ rule }: any) => rule)
    assert.ok(german.includes('BR-DE-6') && german.includes('BR-DE-15'), german.join())
  })

  it('says of an electronic address that is not set that it is missing, where Peppol takes no e-mail address', async () => {
    await save({ einvoice_address: '', company_email: 'office@wein.example' })
    const mailed = (await owner.post('/companies', { ...buyer, einvoice_address: null, email: 'a@nord.example' })).body.data.id
    const { id } = await draft({ company_id: mailed })
    const named = (await check('invoices', id, 'peppol')).body.data.problems.map(({ rule, field }: any) => `${rule} ${field}`)
    assert.deepEqual(named, ['PEPPOL-EN16931-R020 settings.einvoice_address', 'PEPPOL-EN16931-R010 company.einvoice_address'])
    assert.deepEqual((await check('invoices', id, 'ubl')).body.data.problems, [])
    await save({ company_email: '' })
  })

  it('says ready where the e-invoice can be had, and else it is refused by the same fields', async () => {
    const { id } = await issued()
    for (const format of ['cii', 'ubl', 'xrechnung', 'peppol']) {
      const { ready, problems } = (await check('invoices', id, format)).body.data
      assert.deepEqual([ready, problems], [true, []])
    }
    await save({ country: '' })
    const bare = await issued()
    const refused = await xmlOf('invoices', bare.id)
    assert.deepEqual([refused.status, Object.keys(refused.body.errors!)], [422, ['settings.country']])
  })
})

describe('the setting einvoice_on_send', () => {
  const kept = async (table: string, id: number) =>
    (
      await world.sql(
        'SELECT xml, xml_sha256 FROM issued_documents WHERE tenant_id = $1 AND subject_type = $2 AND subject_id = $3',
        [firm.id, table, id],
      )
    )[0]

  it('off keeps none', async () => {
    const { id, issued_document } = await issued()
    assert.deepEqual([issued_document.xml_sha256, (await kept('invoices', id)).xml], [null, null])
  })

  it('warn keeps it with its hash, and says in the timeline why there is none', async () => {
    await save({ einvoice_on_send: 'warn' })
    for (const kind of ['invoices', 'credit-notes']) {
      const { id, issued_document } = await issued({}, kind)
      const { xml } = await kept(kind.replace('-', '_'), id)
      assert.equal(xml, String((await xmlOf(kind, id)).raw))
      assert.equal(issued_document.xml_sha256, createHash('sha256').update(xml).digest('hex'))
    }
    await save({ country: '' })
    const { id, issued_document } = await issued()
    assert.equal(issued_document.xml_sha256, null)
    const told = (await owner.get(`/invoices/${id}/timeline`)).body.data
    assert.ok(
      told.some(({ type, description }: any) => type === 'e_invoice_incomplete' && /BR-09/.test(description)),
      JSON.stringify(told),
    )
  })

  it('block refuses what can not be one, on the fields that are missing', async () => {
    await save({ einvoice_on_send: 'block', country: '' })
    for (const [kind, move] of [
      ['invoices', 'send'],
      ['credit-notes', 'issue'],
    ] as const) {
      const { id } = await draft({}, kind)
      const refused = await owner.post(`/${kind}/${id}/${move}`)
      assert.deepEqual([refused.status, Object.keys(refused.body.errors!)], [422, ['settings.country']])
      assert.equal((await owner.get(`/${kind}/${id}`)).body.data.status, 'draft')
      await save({ country: 'DE' })
      assert.equal((await owner.post(`/${kind}/${id}/${move}`)).status, 200)
      await save({ country: '' })
    }
    const dinars = await draft({ currency: 'KWD' })
    await save({ country: 'DE' })
    const blocked = await owner.post(`/invoices/${dinars.id}/send`)
    assert.deepEqual([blocked.status, Object.keys(blocked.body.errors!)], [422, ['currency']])
    await save({ einvoice_on_send: 'warn' })
    assert.equal((await owner.post(`/invoices/${dinars.id}/send`)).status, 200, 'it goes out without one')
    const told = (await owner.get(`/invoices/${dinars.id}/timeline`)).body.data
    const entry = told.find(({ type }: any) => type === 'e_invoice_incomplete')
    assert.match(entry?.description ?? '', /without an e-invoice: .* two decimals; KWD has 3/)
  })
})
