/**
 * Billing periods: calendar dates in UTC, counted from an anchor. Period n starts n months or years after the anchor, clamped to
 * the end of the month: a start on 31 January renews on 28 February and on 31 March.
 */
import { type Decimal, decimal, roundToCharge } from '#kernel/values/money.ts'

export type Cycle = 'monthly' | 'yearly'

const date = (text: string) => Temporal.PlainDate.from(text)

/** Returns the first day of period n. */
export const periodStart = (anchor: string, cycle: Cycle, n: number): string =>
  date(anchor)
    .add(cycle === 'monthly' ? { months: n } : { years: n })
    .toString()

/**
 * Returns the full period that contains a day, which must not precede the anchor. Its end is the first day of the next period.
 */
export function periodOf(anchor: string, cycle: Cycle, day: string): { start: string; end: string } {
  const [from, to] = [date(anchor), date(day)]
  const years = to.year - from.year
  const most = cycle === 'monthly' ? years * 12 + to.month - from.month : years
  // A period never skips a month, so the day is in this one or the previous one.
  const n = periodStart(anchor, cycle, most) <= day ? most : most - 1
  return { start: periodStart(anchor, cycle, n), end: periodStart(anchor, cycle, n + 1) }
}

const daysBetween = (from: string, to: string) => date(from).until(date(to), { largestUnit: 'days' }).days
export const plusDays = (day: string, days: number) => date(day).add({ days }).toString()

/** Returns the share of an amount for the days from `day` to the end of a period, rounded to a chargeable amount. */
export function shareFrom(
  day: string,
  { start, end }: { start: string; end: string },
  amount: string | Decimal,
  currency: string,
) {
  if (day <= start) return decimal(amount)
  if (day >= end) return decimal(0)
  return roundToCharge(currency, decimal(amount).times(daysBetween(day, end)).div(daysBetween(start, end)))
}

/** Returns what is billed from a day on: up to the end of its period, prorated if the period began earlier. */
export function billedFrom(day: string, terms: { anchor: string; cycle: Cycle; price: string; currency: string }) {
  const whole = periodOf(terms.anchor, terms.cycle, day)
  return { start: day, end: whole.end, amount: shareFrom(day, whole, terms.price, terms.currency).toFixed() }
}

/** Returns the date of an instant in UTC. */
export const dayOf = (instant: string) => instant.slice(0, 10)
