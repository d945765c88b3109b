/** Local time in the workspace's time zone, and when a check-in is late. */
import type { Ctx } from '#kernel/context.ts'
import type { workModes } from './schema.ts'

type WorkMode = (typeof workModes)[number]

/** Returns the local time: `09:00:00`. */
export const timeNow = ({ now, tenant }: Ctx) =>
  Temporal.Instant.from(now).toZonedDateTimeISO(tenant.timezone).toPlainTime().toString({ smallestUnit: 'second' })

const seconds = (time: string) => {
  const [hours, minutes, rest = 0] = time.split(':').map(Number) as [number, number, number?]
  return hours * 3600 + minutes * 60 + rest
}

/**
 * Returns when work of a mode begins, the grace period, and whether it is later than both now. Grace ends with the day: a
 * check-in after midnight is early on the next day.
 */
export async function thresholdOf(ctx: Ctx, mode: WorkMode) {
  const start = await ctx.setting(`attendance_${mode}_start`)
  const grace_minutes = await ctx.setting('attendance_grace_minutes')
  return { start, grace_minutes, is_late_now: seconds(timeNow(ctx)) > seconds(start) + grace_minutes * 60 }
}
