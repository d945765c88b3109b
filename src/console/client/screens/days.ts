/** Days as the API has them: `2026-11-20`, without a zone. */
import { boot } from '../boot.ts'

export const DAYS = 7
const DAY_MS = 86_400_000

export const atUtc = (day: string) => new Date(`${day}T00:00:00Z`)
export const later = (day: string, days: number) => new Date(atUtc(day).getTime() + days * DAY_MS).toISOString().slice(0, 10)
/** `2026-11`, and so many months later. */
export const monthsLater = (month: string, n: number) => {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number - 1 + n, 1)).toISOString().slice(0, 7)
}
/** The day where the workspace is. */
export const today = () =>
  new Intl.DateTimeFormat('en-CA', { timeZone: boot.me?.workspace?.timezone ?? 'UTC' }).format(new Date())

/** The first and the last day of a month. */
const ofMonth = (month: string): [string, string] => [`${month}-01`, later(`${monthsLater(month, 1)}-01`, -1)]

/** What people ask a list for by its days. */
export function spans() {
  const now = today()
  const month = now.slice(0, 7)
  return {
    today: [now, now],
    thisMonth: ofMonth(month),
    lastMonth: ofMonth(monthsLater(month, -1)),
    thisYear: [`${now.slice(0, 4)}-01-01`, `${now.slice(0, 4)}-12-31`],
  } satisfies Record<string, [string, string]>
}
