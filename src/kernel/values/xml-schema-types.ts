/**
 * Parser of the simple types of XML Schema (W3C XSD 1.1, part 2) for every XML document that Atrium reads: bank statements,
 * electronic invoices. Each function takes the text of an element or attribute and ignores surrounding white space
 * (`whiteSpace="collapse"`). It returns undefined if the text isn't in the type's lexical space. Nothing is corrected or rounded.
 * All take linear time.
 *
 *   xsDecimal('000149.8700')?.toFixed()                     // '149.87'
 *   xsDecimal('1.234567', { fractionDigits: 5 })            // undefined: more decimals than the type has
 *   xsBoolean('1')                                          // true
 *   xsDate('2026-11-19+01:00')                              // '2026-11-19'
 *   xsDateTime('2026-11-19T06:00:00+01:00')?.instant        // '2026-11-19T05:00:00.000Z'
 *   xsDay('2026-11-19T23:30:00-05:00')                      // '2026-11-19', the day by the writer's clock
 */
import { type Decimal, decimal } from './money.ts'

export interface DecimalFacets {
  /** Maximum number of digits, leading and trailing zeros not counted. Default: 18, which every processor supports. */
  totalDigits?: number
  /** Maximum number of decimals, trailing zeros not counted. Default: `totalDigits`. */
  fractionDigits?: number
}

export interface XsDateTime {
  /** Day by the writer's clock: `2026-11-19`. */
  date: string
  /** Time by the writer's clock, without fractions of a second: `06:00:00`. */
  time: string
  /** `Z`, `+01:00`, `-05:00`; null without a zone. */
  zone: string | null
  /** Instant in UTC, in milliseconds: `2026-11-19T05:00:00.000Z`; null without a zone. */
  instant: string | null
}

/** Maximum length of a value. Limits redundant zeros and fractions of seconds. */
const MAX_LENGTH = 100

const WHITE_SPACE = ' \t\r\n'

const collapsed = (text = ''): string | undefined => {
  let [start, end] = [0, text.length]
  while (start < end && WHITE_SPACE.includes(text[start]!)) start++
  while (start < end && WHITE_SPACE.includes(text[end - 1]!)) end--
  return start < end && end - start <= MAX_LENGTH ? text.slice(start, end) : undefined
}

/** xs:decimal: `10`, `+5.00`, `.50`, `5.`, `-0007.10`; no exponent or group sign. Zero has no sign. */
export function xsDecimal(
  text: string | undefined,
  { totalDigits = 18, fractionDigits = totalDigits }: DecimalFacets = {},
): Decimal | undefined {
  const [, sign, whole = '', fraction = ''] = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(collapsed(text) ?? '') ?? []
  if (!whole && !fraction) return undefined
  const [integer, decimals] = [whole.replace(/^0+/, ''), fraction.replace(/0+$/, '')]
  const digits = integer ? integer.length + decimals.length : decimals.replace(/^0+/, '').length
  if (digits > totalDigits || decimals.length > fractionDigits) return undefined
  const value = decimal(`${integer || '0'}.${decimals || '0'}`)
  return sign === '-' && !value.eq(0) ? value.neg() : value
}

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** xs:boolean: `true` and `1`, `false` and `0`, in lower case. */
export const xsBoolean = (text: string | undefined): boolean | undefined => BOOLEANS.get(collapsed(text) ?? '')

const ZONE = String.raw`(Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?`
const DATE = new RegExp(`^(\\d{4}-\\d{2}-\\d{2})${ZONE}$`)
const DATE_TIME = new RegExp(String.raw`^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:(\.\d{1,3})\d*)?${ZONE}$`)

/** Returns the start of a day in the years 0001 to 9999 in UTC; undefined for a day such as 30 February. */
function startOf(day: string): Date | undefined {
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) && !day.startsWith('0000') ? at : undefined
}

/** xs:date: the day as `2026-11-19`, without the zone of the text. */
export function xsDate(text: string | undefined): string | undefined {
  const day = DATE.exec(collapsed(text) ?? '')?.[1]
  return day && startOf(day) && day
}

/** xs:dateTime. `24:00:00` is the start of the next day, as in the standard; the type has no leap seconds. */
export function xsDateTime(text: string | undefined): XsDateTime | undefined {
  const [, day, written, fraction = '', zone = null] = DATE_TIME.exec(collapsed(text) ?? '') ?? []
  const start = day && startOf(day)
  if (!start) return undefined
  const isEndOfDay = written === '24:00:00' && /^\.?0*$/.test(fraction)
  if (!isEndOfDay && !/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(written!)) return undefined
  const date = isEndOfDay ? new Date(start.getTime() + 86_400_000).toISOString().slice(0, 10) : day
  if (date.startsWith('+')) return undefined
  const time = isEndOfDay ? '00:00:00' : written!
  return { date, time, zone, instant: zone && new Date(`${date}T${time}${fraction}${zone}`).toISOString() }
}

/** Returns the day of an xs:date or xs:dateTime as written: by the writer's clock; for `24:00:00`, the day that ends. */
export const xsDay = (text: string | undefined): string | undefined =>
  xsDate(text) ?? (xsDateTime(text) && xsDate(collapsed(text)!.slice(0, 10)))
