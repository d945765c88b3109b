/** Date of test runs: from the controllable clock, never the machine's. */

/**
 * Start of every test's clock, constant by default. TEST_NOW overrides it: `.ci/run` uses that to run all tests on difficult
 * calendar dates.
 */
export const START = new Date(process.env.TEST_NOW ?? '2026-11-26T09:30:00.000Z').toISOString()

/** Returns the calendar day (UTC) this many days after the start; negative: before it. */
export const dayFromStart = (days: number) => instantFromStart(days).slice(0, 10)

/** Returns the instant this many days after the start; negative: before it. */
export const instantFromStart = (days: number) => new Date(Date.parse(START) + days * 24 * 3_600_000).toISOString()

/**
 * Returns the variables by which `faketime` sets a process's wall clock and time zone, for processes with an otherwise empty
 * environment.
 */
export const wallClockEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(LD_PRELOAD|TZ|FAKETIME.*)$/.test(name))) as Record<
    string,
    string
  >
