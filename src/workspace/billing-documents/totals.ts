/**
 * What the lines of a billing document come to. The one place where money is computed: what it gives is stored once, and list,
 * detail, PDF, mail and payments print it. Exact decimals, half away from zero, in the currency's minor units (CONV-11).
 */

import { invalid } from '#kernel/errors.ts'
import type { Decimal } from '#kernel/values/money.ts'
import { decimal, minorUnits, roundTo } from '#kernel/values/money.ts'

export interface PricedLine {
  quantity: string
  unit_price: string
  /** Percent. */
  tax_rate: string
}

export interface Totals {
  subtotal: string
  tax_total: string
  total: string
}

export type TaxRounding = 'line' | 'document'

/** Each line with its net and tax, and the document's totals. 422 on `lines` beyond what a JSON number carries exactly. */
export function computeTotals<L extends PricedLine>(lines: L[], currency: string, rounding: TaxRounding) {
  const nets = lines.map((line) => roundTo(currency, decimal(line.quantity).times(line.unit_price)))
  const taxes =
    rounding === 'line'
      ? lines.map((line, i) => roundTo(currency, taxOf(nets[i]!, line.tax_rate)))
      : taxesByDocument(lines, nets, currency)
  const subtotal = sum(nets)
  const tax_total = sum(taxes)
  const total = subtotal.plus(tax_total)
  if (total.times(decimal(10).pow(minorUnits(currency))).gt(Number.MAX_SAFE_INTEGER))
    throw invalid({ lines: 'The total is too large.' })
  return {
    lines: lines.map((line, i) => ({ ...line, net: nets[i]!.toFixed(), tax: taxes[i]!.toFixed() })),
    totals: { subtotal: subtotal.toFixed(), tax_total: tax_total.toFixed(), total: total.toFixed() } satisfies Totals,
  }
}

const sum = (amounts: Decimal[]) => amounts.reduce((total, amount) => total.plus(amount), decimal(0))
const taxOf = (net: Decimal, rate: string) => net.times(rate).div(100)

/** Tax is rounded once per rate, and the cents are given back to that rate's lines by largest remainder, the first line first. */
function taxesByDocument(lines: PricedLine[], nets: Decimal[], currency: string) {
  const taxes: Decimal[] = new Array(lines.length)
  const byRate = Map.groupBy(lines.keys(), (i) => decimal(lines[i]!.tax_rate).toFixed())
  const cent = decimal(10).pow(-minorUnits(currency))
  for (const [rate, members] of byRate) {
    const exact = members.map((i) => ({ i, tax: taxOf(nets[i]!, rate) }))
    const shares = exact.map(({ i, tax }) => ({ i, tax, down: tax.round(minorUnits(currency), 0) }))
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
