/** Start and end of a record as instants, and the attended time between them, without breaks. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Row } from '#kernel/records/resource.ts'

/** A check-out after midnight ends yesterday's shift if it began at most this long ago. */
export const MAX_SHIFT_HOURS = 16
const MINUTE_MS = 60_000

/** Fields of a record from which its span is computed. */
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
 * `break_minutes` if the break is longer than the shift.
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
 * Returns the columns computed from the times of a record. An instant recorded by a check-in or check-out stays valid while its
 * time is unchanged: a clock that is set back shows times twice.
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

/** Adds the minutes between two instants, without the break; 0 if the break is longer. */
export function withMinutes(span: Omit<Span, 'attended_minutes'>, breakMinutes: number): Span {
  const minutes = minutesOf(span)
  return { ...span, attended_minutes: minutes === null ? null : Math.max(0, minutes - breakMinutes) }
}

const minutesOf = ({ checked_in_at, checked_out_at }: Omit<Span, 'attended_minutes'>) =>
  checked_in_at && checked_out_at
    ? Math.max(0, Math.floor((Date.parse(checked_out_at) - Date.parse(checked_in_at)) / MINUTE_MS))
    : null

/** Returns the instant of a local time: the first one, if the time occurs twice. */
const instantOf = ({ tenant }: Ctx, date: string, time: string, disambiguation: 'compatible' | 'later' = 'compatible') =>
  Temporal.PlainDateTime.from(`${date}T${time}`)
    .toZonedDateTime(tenant.timezone, { disambiguation })
    .toInstant()
    .toString({ fractionalSecondDigits: 3 })
