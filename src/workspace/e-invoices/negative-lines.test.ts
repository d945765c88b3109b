/** Negative lines: returns and deductions on invoices, credit notes, quotations and estimates. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal } from '#kernel/values/money.ts'
import { type Person, startTest } from '#test/harness.ts'
import { computeTotals } from '#workspace/billing-documents/public.ts'

const world = await startTest()
const KINDS = ['invoices', 'credit-notes', 'quotations', 'estimates'] as const
let owner: Person
let company: number

before(async () => {
  const firm = await world.workspace({ modules: [...KINDS, 'companies', 'purchase-orders', 'vendors'] })
  owner = firm.owner
  const settings = {
    country: 'DE',
    legal_name: 'Weinhandel Süd GmbH',
    street: 'Hafenstraße 4',
    postcode: '20457',
    city: 'Hamburg',
  }
  await owner.put('/settings', { settings: { ...settings, vat_id: 'DE123456789' } })
  const buyer = { name: 'Nordwind GmbH', street: 'Kai 1', postcode: '20457', city: 'Hamburg', country: 'DE' }
  company = (await owner.post('/companies', buyer)).body.data.id
})
beforeEach(() => world.sql('DELETE FROM rate_limits'))

const sale = { name: 'Wine', quantity: 10, unit_price: 12.5, tax_rate: 19 }
const returned = { name: 'Returned bottles', quantity: 3, unit_price: -12.5, tax_rate: 19 }
const draft = (kind: string, lines: object[], more: object = {}) =>
  owner.post(`/${kind}`, { title: 'Wine', currency: 'EUR', company_id: company, lines, ...more })

describe('a line with a negative price', () => {
  for (const kind of KINDS)
    it(`takes off what it comes to: ${kind}`, async () => {
      const { status, body } = await draft(kind, [sale, returned])
      assert.equal(status, 201, body.message)
      assert.partialDeepStrictEqual(body.data, {
        ...{ subtotal: 87.5, tax_total: 16.62, total: 104.12 },
        lines: [
          { unit_price: 12.5, line_total: 125, tax_amount: 23.75 },
          { unit_price: -12.5, quantity: 3, line_total: -37.5, tax_amount: -7.13 },
        ],
        tax_breakdown: [{ tax_rate: 19, net: 87.5, tax: 16.62 }],
      })
      assert.equal((await owner.get(`/${kind}/${body.data.id}/pdf`)).status, 200)
      const all = await owner.put(`/${kind}/${body.data.id}`, { lines: [sale, { ...returned, quantity: 10 }] })
      assert.partialDeepStrictEqual(all.body.data, { subtotal: 0, tax_total: 0, total: 0 })
    })

  it('takes off no more than the document charges at its tax rate', async () => {
    for (const { lines, fields } of [
      { lines: [sale, { ...returned, quantity: 11 }], fields: ['lines.1.unit_price'] },
      { lines: [returned], fields: ['lines.0.unit_price'] },
      {
        lines: [
          { ...sale, quantity: 100 },
          { ...returned, tax_rate: 7 },
        ],
        fields: ['lines.1.unit_price'],
      },
      { lines: [sale, returned, { ...returned, quantity: 9 }], fields: ['lines.1.unit_price', 'lines.2.unit_price'] },
    ])
      for (const kind of KINDS) {
        const { status, body } = await draft(kind, lines)
        assert.deepEqual({ status, fields: Object.keys(body.errors!) }, { status: 422, fields })
      }
  })

  it('keeps its quantity above 0 and has no discount of its own', async () => {
    const quantity = await draft('invoices', [{ ...sale, quantity: -1 }])
    assert.deepEqual(
      { status: quantity.status, fields: Object.keys(quantity.body.errors!) },
      { status: 422, fields: ['lines.0.quantity'] },
    )
    for (const line_discount_type of ['percent', 'fixed']) {
      const lines = (discount_value: number) => [
        { ...sale, discount_value: 10 },
        { ...returned, discount_value },
      ]
      const { status, body } = await draft('invoices', lines(5), { line_discount_type })
      assert.deepEqual({ status, fields: Object.keys(body.errors!) }, { status: 422, fields: ['lines.1.discount_value'] })
      assert.equal((await draft('invoices', lines(0), { line_discount_type })).status, 201)
    }
  })

  it('is no line of a purchase order', async () => {
    const vendor_id = (await owner.post('/vendors', { name: 'Winery' })).body.data.id
    const lines = [
      { description: 'Wine', quantity: 2, unit_price: 5 },
      { description: 'Return', quantity: 1, unit_price: -5 },
    ]
    const { status, body } = await owner.post('/purchase-orders', { vendor_id, title: 'Wine', lines })
    assert.deepEqual({ status, fields: Object.keys(body.errors!) }, { status: 422, fields: ['lines.1.unit_price'] })
  })

  it('goes from a quotation to its invoice', async () => {
    const { id } = (await draft('quotations', [sale, returned])).body.data
    const sent = await owner.post(`/quotations/${id}/send`)
    assert.equal(sent.status, 200, sent.body.message)
    const { status, body } = await owner.post(`/quotations/${id}/convert`)
    assert.ok(status < 300, body.message)
    const { converted_invoice_id } = (await owner.get(`/quotations/${id}`)).body.data
    assert.partialDeepStrictEqual((await owner.get(`/invoices/${converted_invoice_id}`)).body.data, {
      ...{ total: 104.12, lines: [{ unit_price: 12.5 }, { unit_price: -12.5, line_total: -37.5 }] },
    })
  })

  it('has the sign at the quantity in e-invoices (BR-27)', async () => {
    for (const kind of ['invoices', 'credit-notes']) {
      const { id } = (await draft(kind, [sale, returned])).body.data
      const issued = await owner.post(`/${kind}/${id}/${kind === 'invoices' ? 'send' : 'issue'}`)
      assert.equal(issued.status, 200, issued.body.message)
      const xmlOf = async (format: string) => {
        const { status, raw } = await owner.get(`/${kind}/${id}/e-invoice`, { query: { format } })
        assert.equal(status, 200, String(raw))
        return String(raw)
      }
      const ubl = await xmlOf('ubl')
      assert.match(ubl, /edQuantity unitCode="C62">-3<\/.*?<cbc:LineExtensionAmount currencyID="EUR">-37.50</)
      assert.doesNotMatch(ubl, /<cbc:PriceAmount[^>]*>-/)
      assert.match(ubl, /<cbc:TaxableAmount currencyID="EUR">87.50<\/cbc:TaxableAmount><cbc:TaxAmount currencyID="EUR">16.62</)
      const cii = await xmlOf('cii')
      assert.match(cii, /<ram:BilledQuantity unitCode="C62">-3<\/.*?<ram:LineTotalAmount>-37.50</)
      assert.doesNotMatch(cii, /<ram:ChargeAmount>-/)
    }
  })
})

it('totals with negative prices add up and give no cent twice, however tax is rounded', () => {
  const anyLine = fc.record({
    quantity: fc.integer({ min: 1, max: 5 }).map(String),
    unit_price: fc.integer({ min: -400, max: 1000 }).map((cents) => (cents / 100).toFixed(2)),
    tax_rate: fc.constantFrom('0', '7', '19'),
  })
  fc.assert(
    fc.property(
      fc.array(anyLine, { maxLength: 10 }),
      fc.constantFrom('line' as const, 'document' as const),
      (lines, tax_rounding) => {
        let priced: ReturnType<typeof computeTotals>
        try {
          priced = computeTotals(lines, { currency: 'EUR', tax_rounding })
        } catch (error) {
          assert.ok(Object.keys((error as { errors: object }).errors).every((field) => /^lines\.\d+\.unit_price$/.test(field)))
          return
        }
        const sum = (of: 'net' | 'tax') => priced.lines.reduce((all, line) => all.plus(line[of]), decimal(0))
        assert.equal(sum('net').plus(sum('tax')).toFixed(), priced.totals.total)
        assert.ok(decimal(priced.totals.total).gte(0))
        for (const { net, tax, tax_rate } of priced.lines)
          assert.ok(decimal(net).times(tax_rate).div(100).minus(tax).abs().lte('0.01'))
      },
    ),
    { numRuns: 500 },
  )
})
