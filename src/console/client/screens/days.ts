/** Days as the API has them: `2026-11-20`, without a zone. An instant has the day of its reader's zone. */
import { boot } from '../boot.ts'
import type { Field } from './shape.ts'

export const DAYS = 7
const DAY_MS = 86_400_000

export const atUtc = (day: string) => new Date(`${day}T00:00:00Z`)
export const later = (day: string, days: number) => new Date(atUtc(day).getTime() + days * DAY_MS).toISOString().slice(0, 10)
/** `2026-11`, and so many months later. */
export const monthsLater = (month: string, n: number) => {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number - 1 + n, 1)).toISOString().slice(0, 7)
}
const there = daysIn(boot.me?.workspace?.timezone ?? boot.platform?.timezone)
/** The day where the workspace is. */
export const today = () => there.format(new Date())

/** UTC's, where the browser doesn't know the zone. */
function daysIn(timeZone = 'UTC') {
  try {
    return new Intl.DateTimeFormat('en-CA', { timeZone })
  } catch {
    return new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC' })
  }
}

type Timed = Pick<Field, 'kind'>
const here = new Intl.DateTimeFormat('en-CA')
/** The day of a value, where whoever reads it is; none of what is neither day nor instant. */
export function dayOf({ kind }: Timed, value: unknown): string {
  if (kind !== 'instant' || !value) return String(value ?? '')
  const at = new Date(String(value))
  return Number.isNaN(at.getTime()) ? '' : here.format(at)
}
/** The day that it is, as values of a field have days. */
export const todayOf = (field: Timed) => (field.kind === 'instant' ? here.format(new Date()) : today())
/** A time of a day where whoever reads is: clocks that are put forward or back make days of 23 and 25 hours. */
export function instantAt(day: string, hour = 0): Date {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  return new Date(year, month - 1, date, hour)
}
/** What keeps a list to days, as its filters have it: an instant is kept to the first and the last millisecond of them. */
export const rangeOf = ({ name, kind }: Field, from: string, to: string): Record<string, string> => ({
  [`${name}_from`]: from && kind === 'instant' ? instantAt(from).toISOString() : from,
  [`${name}_to`]: to && kind === 'instant' ? new Date(instantAt(later(to, 1)).getTime() - 1).toISOString() : to,
})

/** The first and the last day of a month. */
const ofMonth = (month: string): [string, string] => [`${month}-01`, later(`${monthsLater(month, 1)}-01`, -1)]

/** What people ask a list for by its days. */
export function spans(now: string) {
  const month = now.slice(0, 7)
  return {
    today: [now, now],
    thisMonth: ofMonth(month),
    lastMonth: ofMonth(monthsLater(month, -1)),
    thisYear: [`${now.slice(0, 4)}-01-01`, `${now.slice(0, 4)}-12-31`],
  } satisfies Record<string, [string, string]>
}
