/** When a payment came: an instant, a time by the workspace's clock, or just a day of its calendar. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { date } from '#kernel/values/fields.ts'

const SAYS = 'Must be a date, YYYY-MM-DD, or a date and time such as 2026-11-20T09:30:00Z.'

export const paidAt = () =>
  z
    .union([date(), z.iso.datetime({ error: SAYS, offset: true, local: true, abort: true })], SAYS)
    .refine((value) => !/\.\d{10}/.test(value), SAYS)
    .refine((value) => value >= '1900' && value < '2200', 'Must lie between 1900 and 2199.')

/** The instant that is meant, in UTC. Without an offset the workspace's timezone counts, without a time the beginning of the day. */
export function instantIn(ctx: Ctx, given: string) {
  const hasOffset = /T.*(?:Z|[+-]\d\d:\d\d)$/.test(given)
  const instant = hasOffset
    ? Temporal.Instant.from(given)
    : Temporal.PlainDateTime.from(given).toZonedDateTime(ctx.tenant.timezone).toInstant()
  return instant.toString({ smallestUnit: 'millisecond' })
}
