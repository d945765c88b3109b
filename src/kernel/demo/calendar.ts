/** Time axis of the demo data: working days of the last 18 months, and creation times in them. */
import type { Random } from './chance.ts'

/** Working hours of the last 18 months, counted in working days: 0 is the first morning, `days` is now. */
export interface Calendar {
  days: number
  /** Returns the instant of a working day (12.5 is the middle of the thirteenth), or undefined if it is in the future. */
  instant(day: number): string | undefined
  /** Returns the working day of an instant. */
  dayOf(instant: string): number
  /** Returns the calendar date of a working day, plus a number of calendar days. */
  date(day: number, plus?: number): string
}

const MONTHS = 18

const WORKING_HOURS = 10 * 3600_000

const DAY = 24 * 3600_000

/** Returns the working days of the 18 months before `now` in a time zone. */
export function calendarOf(timezone: string, now: string): Calendar {
  const today = Temporal.Instant.from(now).toZonedDateTimeISO(timezone).toPlainDate()
  const dates: string[] = []
  const mornings: number[] = []
  for (
    let date = today.subtract({ months: MONTHS });
    Temporal.PlainDate.compare(date, today) <= 0;
    date = date.add({ days: 1 })
  ) {
    if (date.dayOfWeek > 5) continue
    dates.push(date.toString())
    mornings.push(date.toZonedDateTime({ timeZone: timezone, plainTime: '08:00' }).epochMilliseconds)
  }
  const dayOf = (moment: number) => {
    const next = mornings.findIndex((morning) => morning > moment)
    const day = (next < 0 ? mornings.length : next) - 1
    return day + Math.min(Math.max((moment - mornings[day]!) / WORKING_HOURS, 0), 0.9999)
  }
  const days = dayOf(Date.parse(now))
  return {
    days,
    dayOf: (instant) => dayOf(Date.parse(instant)),
    instant: (day) => (day < days ? new Date(mornings[Math.floor(day)]! + (day % 1) * WORKING_HOURS).toISOString() : undefined),
    date: (day, plus = 0) => new Date(Date.parse(dates[Math.floor(day)]!) + plus * DAY).toISOString().slice(0, 10),
  }
}

/**
 * Returns the creation time of the n-th of `count` records, oldest first: 60 % on the first day, the rest spread over the period.
 */
export function foundedAt({ calendar }: { calendar: Calendar }, n: number, count: number) {
  const share = n / count
  return calendar.instant(share < 0.6 ? share : 1 + ((share - 0.6) / 0.4) * (calendar.days - 1) * 0.8)!
}

/**
 * Returns a function that picks a random record created before a given instant. Instants must ascend; earlier records are more
 * likely.
 */
export function pickerOf<T extends { created_at: string }>({ random }: { random: Random }, from: readonly T[]) {
  let there = 0
  return (instant: string): T => {
    while (there < from.length && from[there]!.created_at <= instant) there++
    return from[Math.floor(random.next() ** 1.5 * there)]!
  }
}
