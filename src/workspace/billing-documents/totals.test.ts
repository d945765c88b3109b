import assert from 'node:assert/strict'
import { it } from 'node:test'
import { computeTotals } from './totals.ts'

const line = (quantity: string, unit_price: string, tax_rate = '0') => ({ quantity, unit_price, tax_rate })

it('rounds half away from zero, exactly', () => {
  const { totals, lines } = computeTotals([line('1', '1.005', '10'), line('3', '0.335', '7.5')], 'USD', 'line')
  assert.deepEqual(
    lines.map(({ net, tax }) => [net, tax]),
    [
      ['1.01', '0.1'],
      ['1.01', '0.08'],
    ],
  )
  assert.deepEqual(totals, { subtotal: '2.02', tax_total: '0.18', total: '2.2' })
})

it("keeps to the currency's minor units", () => {
  assert.equal(computeTotals([line('3', '33.5')], 'JPY', 'line').totals.total, '101')
  assert.equal(computeTotals([line('3', '0.33335')], 'KWD', 'line').totals.total, '1')
  assert.equal(computeTotals([line('1', '0.0005')], 'KWD', 'line').totals.total, '0.001')
})

it('rounds tax once per rate on the document and gives the cents back by largest remainder', () => {
  const lines = [line('1', '0.33', '10'), line('1', '0.33', '10'), line('1', '0.34', '10'), line('1', '10', '20')]
  const { totals, lines: priced } = computeTotals(lines, 'USD', 'document')
  assert.equal(totals.tax_total, '2.1')
  assert.deepEqual(
    priced.map(({ tax }) => tax),
    ['0.03', '0.03', '0.04', '2'],
  )
  assert.equal(computeTotals(lines, 'USD', 'line').totals.tax_total, '2.09')
})

it('always adds up', () => {
  for (let seed = 1; seed < 300; seed++) {
    const lines = Array.from({ length: 1 + (seed % 7) }, (_, i) =>
      line(
        String(((seed * 31 + i * 17) % 997) / 8 + 0.125),
        String(((seed * 7 + i * 13) % 1009) / 16),
        String((seed + i) % 3 === 0 ? 7.7 : 19),
      ),
    )
    for (const rounding of ['line', 'document'] as const) {
      const { lines: priced, totals } = computeTotals(lines, 'EUR', rounding)
      const cents = (text: string) => Math.round(Number(text) * 100)
      assert.equal(
        priced.reduce((sum, { net }) => sum + cents(net), 0),
        cents(totals.subtotal),
      )
      assert.equal(
        priced.reduce((sum, { tax }) => sum + cents(tax), 0),
        cents(totals.tax_total),
      )
      assert.equal(cents(totals.subtotal) + cents(totals.tax_total), cents(totals.total))
    }
  }
})

it('refuses what a JSON number cannot carry', () => {
  assert.throws(() => computeTotals([line('999999999', '999999999')], 'USD', 'line'), /too large/)
})
