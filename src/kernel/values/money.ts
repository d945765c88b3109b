/** Exact decimal money. Amounts are decimal strings inside the server and JSON numbers outside; never binary floats. */
import Big from 'big.js'
import currencyCodes from 'currency-codes'
import { invalid } from '../errors.ts'
import { numberFormat } from './formatters.ts'

const HALF_AWAY_FROM_ZERO = Big.roundHalfUp

export type Decimal = Big
export const decimal = (value: string | number | Big) => new Big(value)

/** Returns whether a code is an ISO 4217 currency. */
export const isCurrency = (code: string) => currencyCodes.code(code) !== undefined

/** Decimal places of a currency's minor unit: JPY 0, USD 2, KWD 3. */
export const minorUnits = (currency: string) => currencyCodes.code(currency)?.digits ?? 2

/**
 * Returns the amount up to which JSON numbers are exact in a currency. Above it, two neighbouring amounts may be the same double.
 * 2⁴⁶ with cents, 2⁵³ without.
 */
export const mostTold = (currency: string): Big => new Big(2).pow(53 - Math.ceil(minorUnits(currency) * Math.log2(10)))

/** Rounds half away from zero to a currency's minor unit. */
export const roundTo = (currency: string, value: Big) => value.round(minorUnits(currency), HALF_AWAY_FROM_ZERO)

/** Decimal places in which cards can be charged: the currency's own, at most two (providers require KWD 31.25 or 31.26). */
export const chargeableUnits = (currency: string) => Math.min(minorUnits(currency), 2)

/** Rounds half away from zero to a chargeable amount. */
export const roundToCharge = (currency: string, value: Big) => value.round(chargeableUnits(currency), HALF_AWAY_FROM_ZERO)

/** Throws a 422 on each amount with more decimals than the currency has, or than `allowed`. */
export function refuseFractions(
  currency: string,
  amounts: Record<string, string | null | undefined>,
  allowed = minorUnits(currency),
) {
  const isExact = (amount: string) => decimal(amount).round(allowed, HALF_AWAY_FROM_ZERO).eq(amount)
  const wrong = Object.entries(amounts).filter(([, amount]) => amount != null && !isExact(amount))
  const message = `Must have at most ${allowed} decimals in ${currency}.`
  if (wrong.length) throw invalid(Object.fromEntries(wrong.map(([field]) => [field, message])))
}

/** Formats an amount: '1234567.5' in USD → '1,234,567.50'. */
export function formatAmount(value: string | number | Big, currency: string, locale = 'en') {
  const digits = minorUnits(currency)
  const format = numberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: true,
  })
  return format.format(new Big(value).toFixed(digits) as Intl.StringNumericLiteral)
}

/** Adds the currency's code to a formatted amount, on the language's side: `EUR 119.00`, `119,00 EUR`. */
export function withCurrency(written: string, currency: string, locale = 'en') {
  const kinds = numberFormat(locale, { style: 'currency', currency, currencyDisplay: 'code' })
    .formatToParts(0)
    .map(({ type }) => type)
  return kinds.indexOf('currency') < kinds.indexOf('integer') ? `${currency} ${written}` : `${written} ${currency}`
}

/**
 * Parses an amount as users of a language type it: `1.000,00` in German, `1,000.00` and `1000` in English. A single separator
 * followed by one or two digits is the decimal sign in every language. Returns undefined if the text isn't an amount.
 */
export function amountTyped(text: string, locale = 'en'): string | undefined {
  const parts = numberFormat(locale, { minimumFractionDigits: 1, useGrouping: true }).formatToParts(1_000_000.5)
  const sign = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ''
  const plain = [...text.replace(/[\s'’]/g, '')].map((char) => ARABIC_DIGITS.get(char) ?? char).join('')
  if (plain.length > MAX_TYPED) return undefined
  const [group, point] = [sign('group'), sign('decimal')]
  const [whole = '', fraction, ...more] = plain.split(point)
  const groups = group.trim() ? whole.split(group) : [whole]
  const isGrouped = groups.length > 1 && /^\d{1,3}$/.test(groups[0]!) && groups.slice(1).every((three) => /^\d{3}$/.test(three))
  const units = isGrouped ? groups.join('') : whole
  if (!more.length && /^\d+$/.test(units) && (fraction === undefined || /^\d{1,4}$/.test(fraction)))
    return fraction === undefined ? units : `${units}.${fraction}`
  return /^\d+[.,]\d{1,2}$/.test(plain) ? plain.replace(',', '.') : undefined
}

const MAX_TYPED = 30
const ARABIC_DIGITS = new Map([...'٠١٢٣٤٥٦٧٨٩'].map((digit, n) => [digit, String(n)]))

/** Formats a unit price with at least the currency's decimals, and more if it has them. */
export function formatUnitPrice(value: string | number, currency: string, locale = 'en') {
  const format = numberFormat(locale, { minimumFractionDigits: minorUnits(currency), maximumFractionDigits: 6 })
  return format.format(new Big(value).toString() as Intl.StringNumericLiteral)
}

/** Formats a quantity with its significant decimals: '2.500000' → '2.5'. */
export function formatQuantity(value: string | number, locale = 'en') {
  return numberFormat(locale, { maximumFractionDigits: 6 }).format(new Big(value).toString() as Intl.StringNumericLiteral)
}

/** Formats a rate in percent: '19.000000' → '19%'. */
export function formatPercentage(value: string | number, locale = 'en') {
  const format = numberFormat(locale, { style: 'percent', maximumFractionDigits: 6 })
  return format.format(new Big(value).div(100).toString() as Intl.StringNumericLiteral)
}
