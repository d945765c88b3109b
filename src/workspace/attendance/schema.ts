import { z } from 'zod'
import { nameRef, rowRef, UserRef, userRef } from '#kernel/records/embed.ts'
import { Impersonator } from '#kernel/records/timeline.ts'
import { view } from '#kernel/records/view.ts'
import { changesOf, choice, date, id, instant, longText, optionalText, ref, stamps, text } from '#kernel/values/fields.ts'

/** ATT-03 */
export const statuses = ['present', 'absent', 'half_day', 'remote', 'late'] as const
/** ATT-04 */
export const workModes = ['on_site', 'remote'] as const
/** ATT-07 */
export const reasonKinds = ['check_in_late', 'check_out'] as const

/** A time by the workspace's clock: `09:00` or `09:00:00`. */
const clockTime = () =>
  z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, 'Must be a time such as 09:00 or 09:00:00.')
    .transform((given) => given.padEnd(8, ':00'))
    .nullish()
const degrees = (most: number) =>
  z
    .number('Must be a number of degrees.')
    .min(-most, `Must be at least -${most}.`)
    .max(most, `Must be at most ${most}.`)
    .nullish()

const place = { latitude: degrees(90), longitude: degrees(180) }
const reason = { reason_id: id().nullish().meta({ 'x-refers-to': 'attendance_reason' }), reason_notes: optionalText(1000) }
const changeReason = () => text(1000).min(5, 'Must have at least 5 characters.')

/** ATT-23 */
export const CreateRecord = z.object({
  employee_id: ref('employee'),
  date: date(),
  check_in: clockTime(),
  check_out: clockTime(),
  status: choice(statuses).default('present'),
  notes: optionalText(),
  ...place,
  change_reason: changeReason(),
})

/** ATT-24: every field but the reason for the change may stay away. */
export const UpdateRecord = z.object({
  ...changesOf(CreateRecord).shape,
  work_mode: choice(workModes).nullish(),
  ...reason,
  change_reason: changeReason(),
})

/** ATT-16 */
export const CheckIn = z.object({ work_mode: choice(workModes), ...reason, ...place })
/** ATT-18 */
export const CheckOut = z.object({ ...reason, ...place })

export const AttendanceRecord = view('attendance_records', 'AttendanceRecord', {
  id: z.int(),
  employee_id: z.int(),
  employee: nameRef('employee_id', 'employee'),
  date: date(),
  check_in: z.string().nullable(),
  check_out: z.string().nullable(),
  status: choice(statuses),
  work_mode: choice(workModes).nullable(),
  notes: longText().nullable(),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  reason_id: z.int().nullable(),
  reason_notes: longText().nullable(),
  check_in_reason: rowRef('check_in_reason_id', 'attendance_reasons'),
  check_in_reason_notes: longText().nullable(),
  check_out_reason: rowRef('check_out_reason_id', 'attendance_reasons'),
  check_out_reason_notes: longText().nullable(),
  change_reason: longText().nullable(),
  check_in_ip: z.string().nullable(),
  check_out_ip: z.string().nullable(),
  creator: userRef('created_by'),
  ...stamps,
})

const Threshold = z.object({ start: z.string(), grace_minutes: z.int(), is_late_now: z.boolean() })

/** ATT-14 */
export const TodayFacts = z
  .object({
    self_check_enabled: z.boolean(),
    require_late_reason: z.boolean(),
    timezone: z.string(),
    today: date(),
    thresholds: z.object({ on_site: Threshold, remote: Threshold }),
  })
  .meta({ id: 'AttendanceToday' })

const Values = z.record(z.string(), z.unknown())

/** ATT-09 */
export const AttendanceActivity = z
  .object({
    id: z.int(),
    type: z.string(),
    description: z.string(),
    change_reason: z.string().nullable(),
    properties: z.object({ before: Values, after: Values }),
    ip: z.string().nullable(),
    coordinates: z.object({ latitude: z.number(), longitude: z.number() }).nullable(),
    actor: UserRef.nullable(),
    impersonator: Impersonator.nullable(),
    created_at: instant(),
  })
  .meta({ id: 'AttendanceActivity' })
