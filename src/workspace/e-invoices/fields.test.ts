/** Fields of customers, lines and settings for e-invoices, and contradictory values. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { type Person, startTest, type Workspace } from '#test/harness.ts'

const world = await startTest()
let firm: Workspace
let owner: Person
let company: number

before(async () => {
  firm = await world.workspace({ modules: ['invoices', 'credit-notes', 'quotations', 'contacts', 'companies'] })
  owner = firm.owner
  company = (await owner.post('/companies', { name: 'Nordwind GmbH' })).body.data.id
})
beforeEach(() => world.sql('DELETE FROM rate_limits'))

const line = (more: object = {}) => ({ name: 'Work', quantity: 1, unit_price: 100, ...more })
const draft = async (lines: object[], more: object = {}, kind = 'invoices') =>
  owner.post(`/${kind}`, { title: 'Work', lines, ...more })

describe('customers', () => {
  const party = {
    ...{ street: 'Hafenstraße 4', postcode: '20457', city: 'Hamburg', country: 'DE', vat_id: 'DE123456789' },
    ...{ einvoice_address: '9930:DE123456789', buyer_reference: '04011000-12345-03' },
  }
  for (const kind of ['contacts', 'companies'])
    it(`say who they are in an e-invoice: ${kind}`, async () => {
      const { status, body } = await owner.post(`/${kind}`, { name: 'Ann Ash', ...party })
      assert.equal(status, 201, JSON.stringify(body))
      const changed = await owner.put(`/${kind}/${body.data.id}`, { city: '', country: null })
      const { street, city, country, vat_id } = changed.body.data
      assert.deepEqual(
        { street, city, country, vat_id },
        { ...{ street: party.street, vat_id: party.vat_id }, city: null, country: null },
      )
    })

  it('are told what is wrong', async () => {
    const wrong = { country: 'XX', vat_id: '123456789', einvoice_address: '9999:1' }
    for (const [field, value] of Object.entries(wrong)) {
      const { status, body } = await owner.post('/companies', { name: 'Wrong', [field]: value })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, [field]])
    }
  })
})

describe('settings of the seller', () => {
  const save = (settings: object) => owner.put('/settings', { settings })
  it('are kept', async () => {
    const settings = {
      legal_name: 'Acme GmbH',
      country: 'DE',
      vat_id: 'DE136695976',
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
    }
    const { status, body } = await save(settings)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      Object.keys(settings).map((key) => body.data.settings[key]),
      Object.values(settings),
    )
    assert.equal((await save({ iban: '', country: '' })).status, 200)
  })
  it('are refused where they can not be true', async () => {
    for (const [key, value] of Object.entries({ iban: 'DE89370400440532013001', country: 'Germany', vat_id: 'ZZ1', bic: 'X' })) {
      const { status, body } = await save({ [key]: value })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, [`settings.${key}`]])
    }
  })
})

describe('lines', () => {
  it('say their unit and why they are taxed so, and an invoice has them of its quotation', async () => {
    const lines = [line({ tax_rate: 19 }), line({ unit_code: 'HUR', tax_category: 'E', tax_exemption_reason: '§ 4 Nr. 21 UStG' })]
    const { body } = await draft(lines, {}, 'quotations')
    await owner.post(`/quotations/${body.data.id}/send`)
    const invoice = await owner.post(`/quotations/${body.data.id}/convert`)
    assert.deepEqual(
      invoice.body.data.lines.map((one: any) => [one.unit_code, one.tax_category, one.tax_exemption_reason]),
      [
        ['C62', null, null],
        ['HUR', 'E', '§ 4 Nr. 21 UStG'],
      ],
    )
  })

  const contradictions: [string, object[], string[]][] = [
    ['reverse charge with a rate', [line({ tax_rate: 19, tax_category: 'AE' })], ['lines.0.tax_category']],
    ['the standard rate without one', [line(), line({ tax_category: 'S' })], ['lines.1.tax_category']],
    ['outside the scope of tax and inside', [line({ tax_category: 'O' }), line({ tax_rate: 7 })], ['lines.0.tax_category']],
    ['a reason where there is tax', [line({ tax_rate: 7, tax_exemption_reason: 'None' })], ['lines.0.tax_exemption_reason']],
    ['a unit that there is not', [line({ unit_code: 'QQQ' })], ['lines.0.unit_code']],
  ]
  for (const kind of ['invoices', 'credit-notes', 'quotations'])
    for (const [what, lines, fields] of contradictions)
      it(`are refused: ${what}, ${kind}`, async () => {
        const { status, body } = await draft(lines, {}, kind)
        assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, fields])
      })

  for (const tax_category of ['AE', 'K'])
    for (const [kind, move] of [
      ['invoices', 'send'],
      ['credit-notes', 'issue'],
    ] as const)
      it(`need a buyer with a VAT id: ${tax_category}, ${kind}`, async () => {
        const lines = [line({ tax_rate: 7 }), line({ tax_category })]
        const refused = await draft(lines, { company_id: company }, kind)
        assert.deepEqual([refused.status, Object.keys(refused.body.errors!)], [422, ['lines.1.tax_category']])
        const { id } = (await draft(lines, {}, kind)).body.data
        const nobody = await owner.post(`/${kind}/${id}/${move}`)
        assert.deepEqual([nobody.status, Object.keys(nobody.body.errors!)], [422, ['lines.1.tax_category']])
        const named = await owner.post('/companies', {
          ...{
            name: 'Known',
            street: '1 rue du Port',
            postcode: '33000',
            city: 'Bordeaux',
            country: 'FR',
            vat_id: 'FR12345678901',
          },
        })
        assert.equal((await owner.put(`/${kind}/${id}`, { company_id: named.body.data.id })).status, 200)
        assert.equal((await owner.post(`/${kind}/${id}/${move}`)).status, 200)
        const [{ printed }] = await world.sql(
          'SELECT printed FROM issued_documents WHERE tenant_id = $1 AND subject_type = $2 AND subject_id = $3',
          [firm.id, kind.replace('-', '_'), id],
        )
        assert.deepEqual(printed.recipient.lines, ['1 rue du Port', '33000 Bordeaux', 'France', 'VAT ID FR12345678901'])
        assert.deepEqual(printed.tax_notices, [
          tax_category === 'AE' ? 'Reverse charge: the customer owes the tax.' : 'Intra-Community supply, exempt from tax.',
        ])
      })
})

describe('the delivery', () => {
  it('is a day or a period that ends after it begins', async () => {
    const period = { delivery_period_start: '2026-11-01', delivery_period_end: '2026-11-30' }
    for (const kind of ['invoices', 'credit-notes']) {
      const made = await draft([line()], { ...period, order_reference: 'PO-4711' }, kind)
      assert.equal(made.body.data.order_reference, 'PO-4711')
      const { status, body } = await owner.put(`/${kind}/${made.body.data.id}`, { delivery_period_end: '2026-10-31' })
      assert.deepEqual([status, Object.keys(body.errors!)], [422, ['delivery_period_end']])
    }
  })
})
