import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { billedFrom, periodOf, periodStart, plusDays, shareFrom } from './periods.ts'

describe('periods', () => {
  it('are counted from the anchor and clamped to the end of the month', () => {
    const starts = [0, 1, 2, 3, 13].map((n) => periodStart('2027-01-31', 'monthly', n))
    assert.deepEqual(starts, ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2028-02-29'])
    assert.equal(periodStart('2028-02-29', 'yearly', 1), '2029-02-28')
    assert.equal(periodStart('2028-02-29', 'yearly', 4), '2032-02-29')
  })

  const anchors = fc.integer({ min: 0, max: 1500 }).map((n) => plusDays('2026-01-01', n))
  const cycles = fc.constantFrom('monthly' as const, 'yearly' as const)

  it('leave no day out and hold none twice', () => {
    fc.assert(
      fc.property(anchors, cycles, fc.integer({ min: 0, max: 1500 }), (anchor, cycle, n) => {
        const day = plusDays(anchor, n)
        const { start, end } = periodOf(anchor, cycle, day)
        assert.ok(start <= day && day < end, `${anchor} ${cycle} ${day}: ${start} – ${end}`)
        assert.equal(periodOf(anchor, cycle, end).start, end)
      }),
    )
  })

  it('share their price by days: what was used and what is left are the whole, to the minor unit', () => {
    const prices = fc.integer({ min: 1, max: 10_000_000 })
    fc.assert(
      fc.property(anchors, cycles, prices, fc.integer({ min: 0, max: 364 }), (anchor, cycle, cents, n) => {
        const price = (cents / 100).toFixed(2)
        const day = plusDays(anchor, n)
        const whole = periodOf(anchor, cycle, day)
        const left = shareFrom(day, whole, price, 'USD')
        assert.ok(left.gte(0) && left.lte(price) && left.round(2).eq(left))
        assert.equal(billedFrom(day, { anchor, cycle, price, currency: 'USD' }).amount, left.toFixed())
      }),
    )
    assert.equal(billedFrom('2027-01-16', { anchor: '2027-01-01', cycle: 'monthly', price: '31', currency: 'USD' }).amount, '16')
    assert.equal(
      billedFrom('2027-01-16', { anchor: '2027-01-01', cycle: 'monthly', price: '1000', currency: 'JPY' }).amount,
      '516',
    )
  })
})
