/** When something is due: an instant, or a date and time by the workspace's own clock. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'

const WRITTEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/
const SAYS = 'Must be a date and time after 1969, such as 2026-11-20T09:30 or 2026-11-20T09:30:00Z.'

/** `2026-11-20T09:30:00+01:00`, or without an offset: then the workspace's timezone is meant. */
export const dueAt = () => z.string(SAYS).max(35, SAYS).refine(isTime, SAYS).meta({ format: 'date-time' })

/** The instant that is meant, in UTC. */
export const instantIn = (ctx: Ctx, due: string) => written(read(due, ctx.tenant.timezone))

/** The same time of day so many days from now, by the workspace's calendar. */
export const inDays = (ctx: Ctx, days: number) =>
  written(Temporal.Instant.from(ctx.now).toZonedDateTimeISO(ctx.tenant.timezone).add({ days }).toInstant())

function isTime(due: string) {
  if (!WRITTEN.test(due)) return false
  try {
    const { year } = read(due, 'UTC').toZonedDateTimeISO('UTC')
    return year >= 1970 && year < 9999
  } catch {
    return false // no such day or hour
  }
}

const read = (due: string, timezone: string) =>
  /Z$|[+-]\d\d:\d\d$/.test(due)
    ? Temporal.Instant.from(due)
    : Temporal.PlainDateTime.from(due).toZonedDateTime(timezone).toInstant()

const written = (instant: Temporal.Instant) => instant.toString({ smallestUnit: 'millisecond' })
