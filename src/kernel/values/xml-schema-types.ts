/**
 * The one reader of the simple types of XML Schema (W3C XSD 1.1, part 2), for every XML document that Atrium reads: bank statements, electronic invoices.
 * Each function takes the text of an element or an attribute, ignores the white space around it (`whiteSpace="collapse"`), and returns undefined where
 * the text isn't in the lexical space of the type. Nothing is corrected and nothing is rounded. All of them take linear time.
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
  /** The day by the writer's clock: `2026-11-19`. */
  date: string
  /** The time by the writer's clock, without fractions of a second: `06:00:00`. */
  time: string
  /** `Z`, `+01:00`, `-05:00`; null where the text names none. */
  zone: string | null
  /** The moment in UTC, in milliseconds: `2026-11-19T05:00:00.000Z`; null without a zone. */
  instant: string | null
}

/** Bounds what zeros and fractions of seconds may take up. */
const MAX_LENGTH = 100

const WHITE_SPACE = ' \t\r\n'

const collapsed = (text = ''): string | undefined => {
  let [start, end] = [0, text.length]
  while (start < end && WHITE_SPACE.includes(text[start]!)) start++
  while (start < end && WHITE_SPACE.includes(text[end - 1]!)) end--
  return start < end && end - start <= MAX_LENGTH ? text.slice(start, end) : undefined
}

/** xs:decimal: `10`, `+5.00`, `.50`, `5.`, `-0007.10`, never an exponent or a group sign. Zero has no sign. */
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

/** xs:boolean: `true` and `1`, `false` and `0`, in small letters. */
export const xsBoolean = (text: string | undefined): boolean | undefined => BOOLEANS.get(collapsed(text) ?? '')

const ZONE = String.raw`(Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?`
const DATE = new RegExp(`^(\\d{4}-\\d{2}-\\d{2})${ZONE}$`)
const DATE_TIME = new RegExp(String.raw`^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:(\.\d{1,3})\d*)?${ZONE}$`)

/** The start of a day of the years 0001 to 9999 in UTC; undefined for 30 February. */
function startOf(day: string): Date | undefined {
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) && !day.startsWith('0000') ? at : undefined
}

/** xs:date: the day as `2026-11-19`, without the zone that the text may name. */
export function xsDate(text: string | undefined): string | undefined {
  const day = DATE.exec(collapsed(text) ?? '')?.[1]
  return day && startOf(day) && day
}

/** xs:dateTime. `24:00:00` is the start of the next day, as the standard says; leap seconds aren't in the type. */
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

/** The day of an xs:date or an xs:dateTime as it is written: by the writer's clock, and of `24:00:00` the day that ends. */
export const xsDay = (text: string | undefined): string | undefined =>
  xsDate(text) ?? (xsDateTime(text) && xsDate(collapsed(text)!.slice(0, 10)))
