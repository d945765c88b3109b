/** The day on which tests run: the controllable clock's, never the machine's. */

/**
 * The instant at which the clock of every test begins: the same on any day. With TEST_NOW set it is that one, as `.ci/run` does to run all tests
 * on days that are hard for calendars.
 */
export const START = new Date(process.env.TEST_NOW ?? '2026-11-26T09:30:00.000Z').toISOString()

/** Returns the calendar day (UTC) that lies so many days after the start, or before it. */
export const dayFromStart = (days: number) => instantFromStart(days).slice(0, 10)

/** Returns the instant that lies so many days after the start, or before it. */
export const instantFromStart = (days: number) => new Date(Date.parse(START) + days * 24 * 3_600_000).toISOString()

/** Returns the variables by which `faketime` gives a process another wall clock, and its zone: for processes that inherit nothing else. */
export const wallClockEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(LD_PRELOAD|TZ|FAKETIME.*)$/.test(name))) as Record<
    string,
    string
  >
