/** Formats quantities with their units. */
import { formatQuantity } from '#kernel/values/money.ts'

/** Units with a short name in every language (CLDR), by their codes of UN/ECE Recommendation 20. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ SEC: 'second', MIN: 'minute', HUR: 'hour', DAY: 'day', WEE: 'week', MON: 'month', ANN: 'year' },
  ...{
    GRM: 'gram',
    KGM: 'kilogram',
    MMT: 'millimeter',
    CMT: 'centimeter',
    MTR: 'meter',
    KMT: 'kilometer',
    MLT: 'milliliter',
    LTR: 'liter',
  },
}
/** Units with the same symbol everywhere. */
const SIGNS: Readonly<Record<string, string>> = { MTK: 'm²', MTQ: 'm³', TNE: 't', KWH: 'kWh', KWT: 'kW', P1: '%' }
/** Pieces are printed without a unit. */
const PIECES = new Set(['C62', 'H87', 'EA', 'NAR'])

/**
 * Formats a quantity in a language: `3 hr`; for pieces, and without a unit, only the number. A unit without another name is
 * printed as its code.
 */
export function quantityIn(quantity: number | string, unit: string | undefined, locale: string): string {
  const plain = formatQuantity(quantity, locale)
  if (!unit || PIECES.has(unit)) return plain
  const name = NAMED[unit]
  if (!name) return `${plain} ${SIGNS[unit] ?? unit}`
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: 6 })
  return format.format(String(quantity) as Intl.StringNumericLiteral)
}
