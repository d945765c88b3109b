/** Times entered by users: an instant, or a date and time in the workspace's time zone. */
import { z } from 'zod'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/
const DATE = /^\d{4}-\d\d-\d\d$/

/**
 * `2026-11-20T09:30:00+01:00`, or without an offset in the workspace's time zone. With `orDate` also a date alone, which means
 * the start of the day. From 1900 to 2199. `instantIn` converts it to an instant.
 */
export function localTime({ orDate = false } = {}) {
  const says = `Must be ${orDate ? 'a date, YYYY-MM-DD, or ' : ''}a date and time between 1900 and 2199, such as 2026-11-20T09:30 or 2026-11-20T09:30:00Z.`
  const isMeant = (given: string) => (TIME.test(given) || (orDate && DATE.test(given))) && isThere(given)
  return z.string(says).max(35, says).refine(isMeant, says).meta({ format: 'date-time' })
}

/** Returns the instant of an entered time in the workspace, in UTC. */
export const instantIn = (ctx: { tenant: { timezone: string } }, given: string) => instantText(read(given, ctx.tenant.timezone))

/** Returns an instant in the stored format. */
export const instantText = (instant: Temporal.Instant) => instant.toString({ smallestUnit: 'millisecond' })

function isThere(given: string) {
  try {
    const { year } = read(given, 'UTC').toZonedDateTimeISO('UTC')
    return year >= 1900 && year < 2200
  } catch {
    return false // no such day or hour
  }
}

const read = (given: string, timezone: string) =>
  /(Z|[+-]\d\d:\d\d)$/.test(given)
    ? Temporal.Instant.from(given)
    : Temporal.PlainDateTime.from(given).toZonedDateTime(timezone).toInstant()
