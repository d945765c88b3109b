/**
 * Deposits and final invoices, amounts outside the total, repeated numbers, and self-billed invoices: nothing is booked twice
 * unnoticed.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, it } from 'node:test'
import { type Person, startTest } from '#test/harness.ts'
import { invoiceXml } from './samples.ts'

const world = await startTest()
beforeEach(() => world.sql('DELETE FROM rate_limits'))

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../test/fixtures/e-invoices', `${name}.xml`), 'utf8')
const upload = (by: Person, xml: string) => by.post('/incoming-invoices', { file: new File([xml], 'invoice.xml') })
async function received(by: Person, xml: string) {
  const { status, body } = await upload(by, xml)
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}
const owner = async (settings: Record<string, string> = {}) => {
  const firm = await world.workspace({ modules: ['expenses', 'vendors', 'purchase-orders', 'incoming-invoices'] })
  await firm.owner.put('/settings', { settings })
  return firm.owner
}
const expense = async (by: Person, id: number) => (await by.get(`/expenses/${id}`)).body.data
const amountsOf = ({
  amount,
  tax_amount,
  prepaid_amount,
  rounding_amount,
  third_party_amount,
  deposit_amount,
  amount_due,
}: any) => ({
  ...{ amount, tax_amount, prepaid_amount, rounding_amount, third_party_amount, deposit_amount, amount_due },
})
const none = { prepaid_amount: 0, rounding_amount: 0, third_party_amount: 0, deposit_amount: 0 }
const messages = ({ notices }: any, field: string) =>
  notices.filter((one: any) => one.field === field).map((one: any) => one.message)

const deposit = fixture('prepayment-1-deposit')
const final = fixture('prepayment-2-final')

describe('a final invoice', () => {
  it('becomes an expense of what is left beside the deposit that it names', async () => {
    const by = await owner()
    const first = await received(by, deposit)
    assert.deepEqual(amountsOf(await expense(by, first.expense_id)), { amount: 59.5, tax_amount: 9.5, ...none, amount_due: 59.5 })
    const second = await received(by, final)
    assert.equal(second.status, 'booked')
    assert.deepEqual(amountsOf(await expense(by, second.expense_id)), {
      ...{ amount: 59.5, tax_amount: 9.5, ...none },
      ...{ prepaid_amount: 59.5, deposit_amount: 59.5, amount_due: 59.5 },
    })
    assert.deepEqual(messages(second, 'totals.due'), [
      'EUR 59.50 is to be paid, but the invoice comes to EUR 119.00. EUR 59.50 was paid before.',
    ])
    assert.deepEqual(messages(second, 'totals.prepaid'), [
      `Takes off P-1 (EUR 59.50, expense ${first.expense_id}): its expense is of what is left, EUR 59.50.`,
    ])
    assert.equal((await by.get(`/incoming-invoices/${first.id}`)).body.data.final_invoice_id, second.id)
  })

  it('becomes one of the whole where nothing of its deposit is here, and says what was paid before', async () => {
    const by = await owner()
    const got = await received(by, final)
    assert.deepEqual(amountsOf(await expense(by, got.expense_id)), {
      ...{ amount: 119, tax_amount: 19, ...none, prepaid_amount: 59.5, amount_due: 59.5 },
    })
    assert.equal(messages(got, 'totals.due').length, 1)
    const late = await received(by, deposit)
    assert.deepEqual([late.status, late.expense_id], ['received', null], 'its deposit would count twice')
    assert.match(messages(late, 'number')[0], /^P-2 \(incoming invoice \d+\) takes it off and was booked for the whole already/)
  })

  it('waits where it names a deposit and says of no amount that it was paid before', async () => {
    const by = await owner()
    await received(by, deposit)
    const silent = await received(
      by,
      final
        .replace(/<cbc:PrepaidAmount[^>]*>[^<]*<\/cbc:PrepaidAmount>/, '')
        .replace(/(<cbc:PayableAmount[^>]*>)[^<]*/, '$1119.00'),
    )
    assert.partialDeepStrictEqual(silent, { status: 'received', expense_id: null })
    assert.deepEqual(messages(silent, 'totals.prepaid'), [
      'Names P-1 (EUR 59.50) and takes nothing off: see that nothing is booked twice.',
    ])
  })

  it('waits where another final invoice took off the deposit that it names', async () => {
    const by = await owner()
    await received(by, deposit)
    const first = await received(by, final)
    const second = await received(by, final.replace('P-2', 'P-3'))
    assert.partialDeepStrictEqual(second, { status: 'received', expense_id: null })
    assert.deepEqual(messages(second, 'totals.prepaid'), [
      `P-2 (incoming invoice ${first.id}) took off P-1 already: see that nothing is booked twice.`,
    ])
  })

  it('waits where its deposit isn’t named, isn’t booked, or comes to more than was paid', async () => {
    const by = await owner()
    const [first] = [await received(by, deposit)]
    const unnamed = await received(by, final.replace(/<cac:BillingReference>.*<\/cac:BillingReference>/s, ''))
    assert.equal(unnamed.status, 'received')
    assert.match(messages(unnamed, 'totals.prepaid')[0], /^Seems to take off P-1/)
    const booked = (await by.post(`/incoming-invoices/${unnamed.id}/expense`)).body.data
    assert.equal((await expense(by, booked.expense_id)).amount, 59.5)

    const other = await owner()
    await received(other, deposit)
    const less = final
      .replace('59.50</cbc:PrepaidAmount>', '30.00</cbc:PrepaidAmount>')
      .replace('59.50</cbc:PayableAmount>', '89.00</cbc:PayableAmount>')
    const held = await received(other, less)
    assert.equal(held.status, 'received')
    assert.match(messages(held, 'totals.prepaid')[0], /another amount than P-1/)

    const third = await owner()
    await received(third, deposit.replace('59.50</cbc:TaxInclusiveAmount>', '59.40</cbc:TaxInclusiveAmount>'))
    const early = await received(third, final)
    assert.equal(early.status, 'received')
    assert.match(messages(early, 'totals.prepaid')[0], /P-1, which isn’t booked yet/)
    assert.ok(first.expense_id)
  })

  it('lets its deposit go where its expense is deleted, and takes it off again', async () => {
    const by = await owner()
    const first = await received(by, deposit)
    const second = await received(by, final)
    await by.del(`/expenses/${second.expense_id}`)
    const again = (await by.post(`/incoming-invoices/${second.id}/expense`)).body.data
    assert.equal((await expense(by, again.expense_id)).amount, 59.5)
    await by.del(`/expenses/${again.expense_id}`)
    assert.equal((await by.post(`/incoming-invoices/${second.id}/reject`, { reason: 'No' })).status, 200)
    assert.equal((await by.get(`/incoming-invoices/${first.id}`)).body.data.final_invoice_id, null)
  })

  it('and its deposit count once, whichever comes first of many at once', async () => {
    const by = await owner()
    const replies = await Promise.all([upload(by, deposit), upload(by, final)])
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 201],
    )
    const { data } = (await by.get('/expenses')).body
    const sum = data.reduce((total: number, { amount }: { amount: number }) => total + amount, 0)
    assert.equal(sum, 119)
  })
})

describe('amounts beside the total', () => {
  it('reach the expense: rounding, and what is collected for others', async () => {
    const by = await owner()
    const rounded = await received(by, fixture('rounding-amount'))
    assert.deepEqual(amountsOf(await expense(by, rounded.expense_id)), {
      ...{ amount: 25.48, tax_amount: 4.25, ...none, rounding_amount: -0.01, amount_due: 25.47 },
    })
    assert.deepEqual(messages(rounded, 'totals.due'), [
      'EUR 25.47 is to be paid, but the invoice comes to EUR 25.48. EUR -0.01 is rounding.',
    ])
    const third = fixture('extended-freight')
      .replace(
        '<ram:SpecifiedTradeSettlementHeaderMonetarySummation>',
        '<ram:SpecifiedFinancialAdjustment><ram:Reason>Ticket</ram:Reason><ram:ActualAmount>10.00</ram:ActualAmount></ram:SpecifiedFinancialAdjustment>$&',
      )
      .replace('136.85</ram:Due', '146.85</ram:Due')
    const got = await received(by, third)
    assert.deepEqual(amountsOf(await expense(by, got.expense_id)), {
      ...{ amount: 136.85, tax_amount: 21.85, ...none, third_party_amount: 10, amount_due: 146.85 },
    })
  })

  it('are not there of a plain invoice, which says nothing about what is due', async () => {
    const by = await owner()
    const got = await received(by, invoiceXml({ number: 'PLAIN' }))
    assert.deepEqual([messages(got, 'totals.due'), messages(got, 'totals.prepaid')], [[], []])
    assert.deepEqual(amountsOf(await expense(by, got.expense_id)), { amount: 119, tax_amount: 19, ...none, amount_due: 119 })
  })
})

describe('a seller’s number', () => {
  it('names one invoice of a year and a type: another year’s is booked with a notice', async () => {
    const by = await owner()
    const first = await received(by, fixture('number-15-of-2026'))
    const second = await received(by, fixture('number-15-of-2027'))
    assert.deepEqual([second.status, messages(second, 'number').length], ['booked', 1])
    assert.match(
      messages(second, 'number')[0],
      new RegExp(`number of incoming invoice ${first.id} of this seller, of 2026-11-20`),
    )
    for (const name of ['number-15-of-2026', 'number-15-of-2027']) {
      const { status, body } = await upload(by, fixture(name))
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['file']])
    }
  })

  it('waits where one of the same year is of another type of invoice, and is free for a credit note', async () => {
    const by = await owner()
    await received(by, fixture('number-15-of-2026'))
    const other = await received(by, fixture('number-15-of-2026').replace('>380<', '>384<'))
    assert.deepEqual([other.status, messages(other, 'number').length], ['received', 1])
    const credit = await received(by, fixture('number-15-of-2026').replace('>380<', '>381<'))
    assert.deepEqual([credit.kind, credit.status, messages(credit, 'number').length], ['credit_note', 'received', 1])
  })
})

describe('a self-billed invoice', () => {
  const written = (more: object = {}) => invoiceXml({ number: 'S-1', buyer: 'Kunde AG', ...more }).replace('>380<', '>389<')

  it('in the workspace’s own name is its sale: it becomes no expense, and may be closed', async () => {
    const byId = await owner({ vat_id: 'DE811111111' })
    const byName = await owner({ legal_name: 'Papierwerk  Nord GmbH' })
    for (const by of [byId, byName]) {
      const got = await received(by, written())
      assert.deepEqual([got.status, got.expense_id, got.is_valid], ['received', null, true])
      assert.match(messages(got, 'type_code')[0], /^Is self-billed \(type 389\): Kunde AG wrote it for a sale of this workspace/)
      const { status, body } = await by.post(`/incoming-invoices/${got.id}/expense`)
      assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, ['seller_name']])
      assert.equal((await by.post(`/incoming-invoices/${got.id}/close`)).status, 200)
    }
  })

  it('of somebody else waits, and is an expense where the workspace wrote it itself', async () => {
    const by = await owner({ vat_id: 'DE822222222' })
    const got = await received(by, written())
    assert.deepEqual([got.status, messages(got, 'type_code').length], ['booked', 1])
    const stranger = await owner()
    const other = await received(stranger, written())
    assert.equal(other.status, 'received')
    assert.equal((await stranger.post(`/incoming-invoices/${other.id}/expense`)).status, 200)
  })
})

describe('an invoice of a profile without lines', () => {
  it('is booked, and says in one sentence that it holds none', async () => {
    const by = await owner()
    const xml = fixture('extended-freight')
      .replace('urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended', 'urn:factur-x.eu:1p0:minimum')
      .replace(/<ram:IncludedSupplyChainTradeLineItem>.*<\/ram:IncludedSupplyChainTradeLineItem>/s, '')
      .replace('136.85</ram:Due', '36.85</ram:Due')
    const got = await received(by, xml)
    assert.deepEqual([got.status, got.problems, got.data.profile], ['booked', [], 'minimum'])
    assert.deepEqual(messages(got, 'lines'), [
      'Holds no lines, as its profile MINIMUM has none: what was bought stands on the page alone.',
    ])
    assert.deepEqual(amountsOf(await expense(by, got.expense_id)), {
      ...{ amount: 136.85, tax_amount: 21.85, ...none, prepaid_amount: 100, amount_due: 36.85 },
    })
  })
})
