/** Instants are UTC ISO strings, dates are YYYY-MM-DD strings, and "today" is asked of a workspace's timezone. */

/** In seconds. */
export const HOUR = 3600
export const DAY = 24 * HOUR

/** The clock of the running process: real, or one that a test sets. */
export interface Clock {
  now(): string
}

export const systemClock: Clock = { now: () => new Date().toISOString() }

/** The calendar date that an instant has in a timezone. */
export function dateIn(timezone: string, instant: string) {
  return Temporal.Instant.from(instant).toZonedDateTimeISO(timezone).toPlainDate().toString()
}

/** An instant plus whole seconds. */
export function plusSeconds(instant: string, seconds: number) {
  return new Date(Date.parse(instant) + seconds * 1000).toISOString()
}

/** Whether a name is an IANA timezone that this runtime knows. */
export function isTimezone(name: string) {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}
