/**
 * The periods that are billed: calendar dates in UTC, counted from an anchor. Period n begins on the anchor plus n months or years,
 * clamped to the end of the month: what began on 31 January renews on 28 February and again on 31 March.
 */
import { type Decimal, decimal, roundToCharge } from '#kernel/values/money.ts'

export type Cycle = 'monthly' | 'yearly'

const date = (text: string) => Temporal.PlainDate.from(text)

/** The first day of period n. */
export const periodStart = (anchor: string, cycle: Cycle, n: number): string =>
  date(anchor)
    .add(cycle === 'monthly' ? { months: n } : { years: n })
    .toString()

/** The whole period that a day lies in; its end is the first day of the next. The day isn't before the anchor. */
export function periodOf(anchor: string, cycle: Cycle, day: string): { start: string; end: string } {
  const [from, to] = [date(anchor), date(day)]
  const years = to.year - from.year
  const most = cycle === 'monthly' ? years * 12 + to.month - from.month : years
  // A period never skips a month, so the day lies in this one or in the one before.
  const n = periodStart(anchor, cycle, most) <= day ? most : most - 1
  return { start: periodStart(anchor, cycle, n), end: periodStart(anchor, cycle, n + 1) }
}

const daysBetween = (from: string, to: string) => date(from).until(date(to), { largestUnit: 'days' }).days
export const plusDays = (day: string, days: number) => date(day).add({ days }).toString()

/** The part of an amount that falls to the days from `day` to the end of a period, to what can be charged. */
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

/** What is billed from a day on: up to the end of the period that it lies in, in proportion when that has begun before. */
export function billedFrom(day: string, terms: { anchor: string; cycle: Cycle; price: string; currency: string }) {
  const whole = periodOf(terms.anchor, terms.cycle, day)
  return { start: day, end: whole.end, amount: shareFrom(day, whole, terms.price, terms.currency).toFixed() }
}

/** The date of an instant, in UTC. */
export const dayOf = (instant: string) => instant.slice(0, 10)
