import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { decimal, roundTo } from '#kernel/values/money.ts'
import { computeTotals, type DiscountType, type PricedLine } from './totals.ts'

const line = (quantity: string, unit_price: string, tax_rate = '0') => ({ quantity, unit_price, tax_rate })

it('rounds half away from zero, exactly', () => {
  const { totals, lines } = computeTotals([line('1', '1.005', '10'), line('3', '0.335', '7.5')], {
    currency: 'USD',
    tax_rounding: 'line',
  })
  assert.deepEqual(
    lines.map(({ net, tax }) => [net, tax]),
    [
      ['1.01', '0.1'],
      ['1.01', '0.08'],
    ],
  )
  assert.deepEqual(totals, { subtotal: '2.02', discount_total: '0', tax_total: '0.18', total: '2.2' })
})

it("keeps to the currency's minor units", () => {
  assert.equal(computeTotals([line('3', '33.5')], { currency: 'JPY', tax_rounding: 'line' }).totals.total, '101')
  assert.equal(computeTotals([line('3', '0.33335')], { currency: 'KWD', tax_rounding: 'line' }).totals.total, '1')
  assert.equal(computeTotals([line('1', '0.0005')], { currency: 'KWD', tax_rounding: 'line' }).totals.total, '0.001')
})

it('rounds tax once per rate on the document and gives the cents back by largest remainder', () => {
  const lines = [line('1', '0.33', '10'), line('1', '0.33', '10'), line('1', '0.34', '10'), line('1', '10', '20')]
  const { totals, lines: priced } = computeTotals(lines, { currency: 'USD', tax_rounding: 'document' })
  assert.equal(totals.tax_total, '2.1')
  assert.deepEqual(
    priced.map(({ tax }) => tax),
    ['0.03', '0.03', '0.04', '2'],
  )
  assert.equal(computeTotals(lines, { currency: 'USD', tax_rounding: 'line' }).totals.tax_total, '2.09')
})

it('takes discounts off before tax, in percent or as an amount', () => {
  const lines = [
    { ...line('3', '33.33', '20'), discount_value: '10' },
    { ...line('1', '20', '20'), discount_value: '5' },
  ]
  const of = (line_discount_type: DiscountType) =>
    computeTotals(lines, { currency: 'USD', tax_rounding: 'line', line_discount_type }).totals
  assert.deepEqual(of('none'), { subtotal: '119.99', discount_total: '0', tax_total: '24', total: '143.99' })
  assert.deepEqual(of('percent'), { subtotal: '119.99', discount_total: '11', tax_total: '21.8', total: '130.79' })
  assert.deepEqual(of('fixed'), { subtotal: '119.99', discount_total: '15', tax_total: '21', total: '125.99' })
})

it('refuses discounts that are missing, above a hundred percent or above their line', () => {
  const refused = (line_discount_type: DiscountType, ...values: (string | undefined)[]) => {
    const lines = values.map((discount_value) => ({ ...line('1', '10'), discount_value }))
    try {
      computeTotals(lines, { currency: 'USD', tax_rounding: 'line', line_discount_type })
    } catch (error) {
      return Object.keys((error as { errors: object }).errors)
    }
  }
  assert.deepEqual(refused('percent', '100', '100.0001', undefined), ['lines.1.discount_value', 'lines.2.discount_value'])
  assert.deepEqual(refused('fixed', '10', '10.01'), ['lines.1.discount_value'])
  assert.equal(refused('none', undefined, '1000'), undefined)
})

const anyLine = fc.record({
  quantity: fc.integer({ min: 1, max: 5_000_000 }).map((n) => (n / 1000).toString()),
  unit_price: fc.integer({ min: 0, max: 100_000_000 }).map((n) => (n / 10_000).toString()),
  tax_rate: fc.constantFrom('0', '5', '7.7', '8.875', '19', '100'),
  discount_value: fc.integer({ min: 0, max: 1_000_000 }).map((n) => (n / 10_000).toString()),
})

it('always adds up, to the minor unit', () => {
  const anyPricing = fc.record({
    currency: fc.constantFrom('JPY', 'USD', 'KWD'),
    tax_rounding: fc.constantFrom('line' as const, 'document' as const),
    line_discount_type: fc.constantFrom('none' as const, 'percent' as const, 'fixed' as const),
  })
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 12 }), anyPricing, (drawn, pricing) => {
      const gross = (one: PricedLine) => roundTo(pricing.currency, decimal(one.quantity).times(one.unit_price))
      const lines = drawn.map((one) =>
        pricing.line_discount_type === 'fixed' && roundTo(pricing.currency, decimal(one.discount_value)).gt(gross(one))
          ? { ...one, discount_value: '0' }
          : one,
      )
      const { lines: priced, totals } = computeTotals(lines, pricing)
      const sum = (of: (one: (typeof priced)[number]) => string | ReturnType<typeof decimal>) =>
        priced.reduce((all, one) => all.plus(of(one)), decimal(0)).toFixed()
      assert.equal(sum(gross), totals.subtotal)
      assert.equal(
        sum(({ discount }) => discount),
        totals.discount_total,
      )
      assert.equal(
        sum(({ tax }) => tax),
        totals.tax_total,
      )
      assert.equal(
        sum(({ net, tax }) => decimal(net).plus(tax)),
        totals.total,
      )
      for (const { discount, net, tax } of priced)
        for (const amount of [discount, net, tax]) {
          assert.ok(decimal(amount).gte(0))
          assert.equal(roundTo(pricing.currency, decimal(amount)).toFixed(), amount)
        }
    }),
    { numRuns: 2000 },
  )
})

it('refuses what a JSON number cannot carry', () => {
  assert.throws(() => computeTotals([line('999999999', '999999999')], { currency: 'USD', tax_rounding: 'line' }), /too large/)
  // Above 2⁴⁶, two amounts that differ by a cent are the same JSON number.
  for (const [currency, most, more] of [
    ['EUR', '70368744177664', '70368744177664.01'],
    ['KWD', '8796093022208', '8796093022208.001'],
    ['JPY', '9007199254740992', '9007199254740993'],
  ] as const) {
    assert.equal(computeTotals([line('1', most)], { currency, tax_rounding: 'line' }).totals.total, most)
    assert.throws(() => computeTotals([line('1', more)], { currency, tax_rounding: 'line' }), /too large/)
  }
})
