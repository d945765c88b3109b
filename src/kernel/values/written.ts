/** Formats dates and times by a pattern: `DD.MM.YYYY`, `D MMMM YYYY`, `h:mm A`. Text in brackets is literal. */

import { dateTimeFormat } from './formatters.ts'

const TOKENS = /\[([^[\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DD|D|HH|H|hh|h|mm|ss|A|a/g

/** Formats an instant in a time zone by a pattern, with the language's month names. */
export function written(
  instant: string,
  { pattern, timezone, locale }: { pattern: string; timezone: string; locale: string },
): string {
  const at = Temporal.Instant.from(instant).toZonedDateTimeISO(timezone)
  const two = (n: number) => String(n).padStart(2, '0')
  const hour = at.hour % 12 || 12
  const parts: Record<string, () => string> = {
    YYYY: () => String(at.year).padStart(4, '0'),
    YY: () => two(at.year % 100),
    MMMM: () => at.toLocaleString(locale, { month: 'long' }),
    MMM: () => at.toLocaleString(locale, { month: 'short' }),
    MM: () => two(at.month),
    M: () => String(at.month),
    DD: () => two(at.day),
    D: () => String(at.day),
    HH: () => two(at.hour),
    H: () => String(at.hour),
    hh: () => two(hour),
    h: () => String(hour),
    mm: () => two(at.minute),
    ss: () => two(at.second),
    A: () => (at.hour < 12 ? 'AM' : 'PM'),
    a: () => (at.hour < 12 ? 'am' : 'pm'),
  }
  return pattern.replace(TOKENS, (token, literal?: string) => literal ?? parts[token]!())
}

/** Formats an instant for a reader's language, with the time zone: `22 December 2026 at 10:00 CET`. */
export const localInstant = (instant: string, { timezone, locale }: { timezone: string; locale: string }): string =>
  `${Temporal.Instant.from(instant).toLocaleString(locale, { timeZone: timezone, dateStyle: 'long', timeStyle: 'short' })} (${timezone})`

/**
 * Formats a calendar day for a reader's language: `22 December 2026`, or `22 Dec 2026` for a table. Removes the direction marks
 * between numbers in Arabic: in a standalone date, which is laid out left to right, they would reorder its parts.
 */
export const localDay = (day: string, locale: string, dateStyle: 'long' | 'medium' = 'long'): string =>
  dateTimeFormat(locale, { dateStyle, timeZone: 'UTC' }).format(new Date(day)).replaceAll('\u200f', '')
