/** From when to when a record is, as instants, and how long that was. Breaks are no attendance. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Row } from '#kernel/records/resource.ts'

/** A check-out after midnight ends the shift of yesterday that began at most so long ago. */
export const MAX_SHIFT_HOURS = 16
const MINUTE_MS = 60_000

/** The fields of a record that its span follows from. */
interface Shift {
  date: string
  check_in?: string | null
  check_out?: string | null
  ends_next_day?: boolean
  break_minutes?: number
}

interface Span {
  checked_in_at: string | null
  checked_out_at: string | null
  attended_minutes: number | null
}

/**
 * 422 on `check_out` without a check-in, before it, or more than 24 hours after it; on `ends_next_day` without a check-out, on
 * `break_minutes` where the break would be longer than the shift.
 */
export function assertShift({ check_in, check_out, ends_next_day, break_minutes = 0 }: Shift, span: Span) {
  if (!check_out) {
    if (ends_next_day) throw invalid({ ends_next_day: 'Needs a check-out.' })
    return
  }
  if (!check_in) throw invalid({ check_out: 'Needs a check-in before it.' })
  if (ends_next_day && check_out > check_in)
    throw invalid({ check_out: `Must be at most 24 hours after the check-in at ${check_in}.` })
  if (!ends_next_day && check_out < check_in)
    throw invalid({ check_out: `Must not be before the check-in at ${check_in}, unless the shift ends on the next day.` })
  const minutes = minutesOf(span)
  if (minutes !== null && break_minutes > minutes)
    throw invalid({ break_minutes: `Must be at most ${minutes}: the minutes from check-in to check-out.` })
}

/**
 * Returns the columns that follow from the times of a record. An instant that was noted when somebody checked in or out holds as long as
 * its time does: a clock that is put back shows times twice.
 */
export function spanOf(ctx: Ctx, shift: Shift, former?: Row<'attendance_records'>): Span {
  const { date, check_in, check_out, ends_next_day = false, break_minutes = 0 } = shift
  const isSameDay = former?.date === date
  const isSameIn = isSameDay && former.check_in === check_in
  const isSameOut = isSameDay && former.check_out === check_out && former.ends_next_day === ends_next_day
  const checked_in_at = !check_in ? null : (isSameIn && former.checked_in_at) || instantOf(ctx, date, check_in)
  const day = ends_next_day ? Temporal.PlainDate.from(date).add({ days: 1 }).toString() : date
  const departure = () => {
    const first = instantOf(ctx, day, check_out!)
    return checked_in_at && first < checked_in_at ? instantOf(ctx, day, check_out!, 'later') : first
  }
  const checked_out_at = !check_out ? null : (isSameOut && former.checked_out_at) || departure()
  return withMinutes({ checked_in_at, checked_out_at }, break_minutes)
}

/** The same two instants with the minutes between them; a break that is longer leaves none. */
export function withMinutes(span: Omit<Span, 'attended_minutes'>, breakMinutes: number): Span {
  const minutes = minutesOf(span)
  return { ...span, attended_minutes: minutes === null ? null : Math.max(0, minutes - breakMinutes) }
}

const minutesOf = ({ checked_in_at, checked_out_at }: Omit<Span, 'attended_minutes'>) =>
  checked_in_at && checked_out_at
    ? Math.max(0, Math.floor((Date.parse(checked_out_at) - Date.parse(checked_in_at)) / MINUTE_MS))
    : null

/** The instant of a time by the workspace's clock: the first one, where the clock shows it twice. */
const instantOf = ({ tenant }: Ctx, date: string, time: string, disambiguation: 'compatible' | 'later' = 'compatible') =>
  Temporal.PlainDateTime.from(`${date}T${time}`)
    .toZonedDateTime(tenant.timezone, { disambiguation })
    .toInstant()
    .toString({ fractionalSecondDigits: 3 })
