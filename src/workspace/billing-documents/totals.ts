/**
 * Computes the totals of a billing document. The only place where money is computed: its results are stored once, and list,
 * detail, PDF, mail and payments print them. Exact decimals, half away from zero, in the currency's minor units (CONV-11).
 */

import { invalid } from '#kernel/errors.ts'
import type { Decimal } from '#kernel/values/money.ts'
import { decimal, minorUnits, mostTold, roundTo } from '#kernel/values/money.ts'

export interface PricedLine {
  quantity: string
  unit_price: string
  /** Percent. */
  tax_rate: string
  /** Percent, or an amount off the line, depending on the document's type of discount. */
  discount_value?: string | null
}

/** Types of discounts on a document's lines (INV-13). */
export const DISCOUNT_TYPES = ['none', 'percent', 'fixed'] as const
export type DiscountType = (typeof DISCOUNT_TYPES)[number]

/** total = subtotal − discount_total + tax_total. */
export interface Totals {
  /** Before discounts. */
  subtotal: string
  discount_total: string
  tax_total: string
  total: string
}

export type TaxRounding = 'line' | 'document'

/** Currency, rounding and type of discount that determine a document's amounts. */
export interface Pricing {
  currency: string
  tax_rounding: TaxRounding
  line_discount_type?: DiscountType
}

/**
 * Returns each line with its discount, its net (after discount) and its tax, and the document's totals. Tax is computed after
 * discounts (INV-26). 422 on `lines.N.discount_value` if a discount is missing (INV-24) or exceeds its line, and on `lines` above
 * what a JSON number represents exactly; on `lines.N.unit_price` if negative prices make a tax rate negative. Without a type of
 * discount a line's `discount_value` is 0, whatever was sent.
 */
export function computeTotals<L extends PricedLine>(
  lines: L[],
  { currency, tax_rounding, line_discount_type = 'none' }: Pricing,
) {
  const grosses = lines.map((line) => roundTo(currency, decimal(line.quantity).times(line.unit_price)))
  const discounts = discountsOf(lines, grosses, currency, line_discount_type)
  const nets = grosses.map((gross, i) => gross.minus(discounts[i]!))
  const taxes =
    tax_rounding === 'line'
      ? lines.map((line, i) => roundTo(currency, taxOf(nets[i]!, line.tax_rate)))
      : taxesByDocument(lines, nets, currency)
  assertNoneBelowZero(lines, nets, taxes)
  const subtotal = sum(grosses)
  const discount_total = sum(discounts)
  const tax_total = sum(taxes)
  const total = subtotal.minus(discount_total).plus(tax_total)
  const size = sum([...grosses, ...taxes].map((amount) => amount.abs()))
  if (size.gt(mostTold(currency))) throw invalid({ lines: 'The total is too large.' })
  return {
    lines: lines.map((line, i) => ({
      ...line,
      ...('discount_value' in line && line_discount_type === 'none' ? { discount_value: '0' } : {}),
      discount: discounts[i]!.toFixed(),
      net: nets[i]!.toFixed(),
      tax: taxes[i]!.toFixed(),
    })),
    totals: {
      subtotal: subtotal.toFixed(),
      discount_total: discount_total.toFixed(),
      tax_total: tax_total.toFixed(),
      total: total.toFixed(),
    } satisfies Totals,
  }
}

/** Neither net nor tax of any tax rate may be negative, so the total isn't either. */
function assertNoneBelowZero(lines: PricedLine[], nets: Decimal[], taxes: Decimal[]) {
  const wrong: Record<string, string> = {}
  for (const [rate, members] of byRate(lines)) {
    const [net, tax] = [nets, taxes].map((amounts) => sum(members.map((i) => amounts[i]!)))
    if (net!.gte(0) && tax!.gte(0)) continue
    for (const i of members)
      if (decimal(lines[i]!.unit_price).lt(0))
        wrong[`lines.${i}.unit_price`] = `Takes off more than the document charges at a tax rate of ${rate} percent.`
  }
  if (Object.keys(wrong).length) throw invalid(wrong)
}

const byRate = (lines: PricedLine[]) => Map.groupBy(lines.keys(), (i) => decimal(lines[i]!.tax_rate).toFixed())

function discountsOf(lines: PricedLine[], grosses: Decimal[], currency: string, type: DiscountType): Decimal[] {
  if (type === 'none') return lines.map(() => decimal(0))
  const wrong: Record<string, string> = {}
  const discounts = lines.map(({ discount_value: value }, i) => {
    const field = `lines.${i}.discount_value`
    const gross = grosses[i]!
    if (value === undefined || value === null) {
      wrong[field] = `Is required when line_discount_type is ${type}.`
      return decimal(0)
    }
    if (gross.lt(0) && decimal(value).gt(0)) {
      wrong[field] = 'Must be 0 where the unit price is below 0: that price is the one after discount.'
      return decimal(0)
    }
    if (type === 'percent') {
      if (decimal(value).gt(100)) wrong[field] = 'Must be at most 100 percent.'
      return roundTo(currency, gross.times(value).div(100))
    }
    const off = roundTo(currency, decimal(value))
    if (off.gt(gross.abs())) wrong[field] = `Must be at most what the line comes to, ${gross.toFixed(minorUnits(currency))}.`
    return off
  })
  if (Object.keys(wrong).length) throw invalid(wrong)
  return discounts
}

const sum = (amounts: Decimal[]) => amounts.reduce((total, amount) => total.plus(amount), decimal(0))
const taxOf = (net: Decimal, rate: string) => net.times(rate).div(100)

/** Rounds tax once per rate, and distributes the cents to that rate's lines by largest remainder, the first line first. */
function taxesByDocument(lines: PricedLine[], nets: Decimal[], currency: string) {
  const taxes: Decimal[] = new Array(lines.length)
  const cent = decimal(10).pow(-minorUnits(currency))
  for (const [rate, members] of byRate(lines)) {
    const exact = members.map((i) => ({ i, tax: taxOf(nets[i]!, rate) }))
    const shares = exact.map(({ i, tax }) => ({ i, tax, down: roundDown(tax, cent) }))
    const target = roundTo(currency, sum(exact.map(({ tax }) => tax)))
    let left = target
      .minus(sum(shares.map(({ down }) => down)))
      .div(cent)
      .toNumber()
    shares.sort((a, b) => b.tax.minus(b.down).cmp(a.tax.minus(a.down)) || a.i - b.i)
    for (const { i, down } of shares) {
      taxes[i] = left > 0 ? down.plus(cent) : down
      left--
    }
  }
  return taxes
}

/** Rounds down to a whole cent, also below 0. */
function roundDown(amount: Decimal, cent: Decimal) {
  const cents = amount.div(cent).round(0, 0)
  const down = cents.times(cent)
  return down.gt(amount) ? down.minus(cent) : down
}
