/** Days as in the API: `2026-11-20`, without a time zone. An instant has a day in the user's time zone. */
import { boot } from '../boot.ts'
import type { Field } from './shape.ts'

export const DAYS = 7
const DAY_MS = 86_400_000

export const atUtc = (day: string) => new Date(`${day}T00:00:00Z`)
export const later = (day: string, days: number) => new Date(atUtc(day).getTime() + days * DAY_MS).toISOString().slice(0, 10)
/** Adds months to `2026-11`. */
export const monthsLater = (month: string, n: number) => {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number - 1 + n, 1)).toISOString().slice(0, 7)
}
const there = daysIn(boot.me?.workspace?.timezone ?? boot.platform?.timezone)
/** Returns today in the workspace's time zone. */
export const today = () => there.format(new Date())

/** Falls back to UTC where the browser doesn't know the time zone. */
function daysIn(timeZone = 'UTC') {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone })
  } catch {
    return new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC' })
  }
}

type Timed = Pick<Field, 'kind'>
const here = new Intl.DateTimeFormat('en-CA')
/** Returns the day of a value in the user's time zone; empty for values of other kinds. */
export function dayOf({ kind }: Timed, value: unknown): string {
  if (kind !== 'instant' || !value) return String(value ?? '')
  const at = new Date(String(value))
  return Number.isNaN(at.getTime()) ? '' : here.format(at)
}
/** Returns today in the time zone of a field's values. */
export const todayOf = (field: Timed) => (field.kind === 'instant' ? here.format(new Date()) : today())
/** Returns an instant of a day in the user's time zone. Days have 23 or 25 hours at clock changes. */
export function instantAt(day: string, hour = 0): Date {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  return new Date(year, month - 1, date, hour)
}
/** Returns the filter parameters for a range of days: for instants, from the first to the last millisecond. */
export const rangeOf = ({ name, kind }: Field, from: string, to: string): Record<string, string> => ({
  [`${name}_from`]: from && kind === 'instant' ? instantAt(from).toISOString() : from,
  [`${name}_to`]: to && kind === 'instant' ? new Date(instantAt(later(to, 1)).getTime() - 1).toISOString() : to,
})

/** Returns the first and the last day of a month. */
const ofMonth = (month: string): [string, string] => [`${month}-01`, later(`${monthsLater(month, 1)}-01`, -1)]

/** Returns the usual date ranges. */
export function spans(now: string) {
  const month = now.slice(0, 7)
  return {
    today: [now, now],
    thisMonth: ofMonth(month),
    lastMonth: ofMonth(monthsLater(month, -1)),
    thisYear: [`${now.slice(0, 4)}-01-01`, `${now.slice(0, 4)}-12-31`],
  } satisfies Record<string, [string, string]>
}
