/** Time values: instants are UTC ISO strings, dates are YYYY-MM-DD strings, and "today" depends on a workspace's time zone. */

/** Durations in seconds. */
export const HOUR = 3600
export const DAY = 24 * HOUR

/** Clock of the process: the real one, or one that a test sets. */
export interface Clock {
  now(): string
}

export const systemClock: Clock = { now: () => new Date().toISOString() }

/** Returns the calendar date of an instant in a time zone. */
export function dateIn(timezone: string, instant: string) {
  return Temporal.Instant.from(instant).toZonedDateTimeISO(timezone).toPlainDate().toString()
}

/** Adds whole seconds to an instant. */
export function plusSeconds(instant: string, seconds: number) {
  return new Date(Date.parse(instant) + seconds * 1000).toISOString()
}

/** Returns whether a name is an IANA time zone known to this runtime. */
export function isTimezone(name: string) {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}
