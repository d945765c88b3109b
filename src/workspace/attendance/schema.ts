import { z } from 'zod'
import { ActorRef, actorRef, nameRef, rowRef } from '#kernel/records/embed.ts'
import { isTruncated } from '#kernel/records/text-budget.ts'
import { Impersonator, through } from '#kernel/records/timeline.ts'
import { view } from '#kernel/records/view.ts'
import {
  changesOf,
  choice,
  date,
  id,
  instant,
  longText,
  optionalClockTime,
  optionalText,
  ref,
  sentAs,
  stamps,
  text,
  wholeNumber,
} from '#kernel/values/fields.ts'

/** States of a record (ATT-03). */
export const statuses = ['present', 'absent', 'half_day', 'remote', 'late'] as const
/** Places of work (ATT-04). */
export const workModes = ['on_site', 'remote'] as const
/** Kinds of reasons (ATT-07). */
export const reasonKinds = ['check_in_late', 'check_out'] as const

const degrees = (most: number) =>
  z
    .number('Must be a number of degrees.')
    .min(-most, `Must be at least -${most}.`)
    .max(most, `Must be at most ${most}.`)
    .nullish()

const place = { latitude: degrees(90), longitude: degrees(180) }
const reason = { reason_id: id().nullish().meta({ 'x-refers-to': 'attendance_reason' }), reason_notes: optionalText(1000) }
/** Maximum break: a day. */
const MAX_BREAK_MINUTES = 1440
const breakMinutes = () =>
  wholeNumber(0, MAX_BREAK_MINUTES).meta({
    description: 'Minutes of all breaks together, which are no attendance.',
    examples: [30],
  })
const changeReason = () => text(1000).min(5, 'Must have at least 5 characters.')

/** Input of a new record (ATT-23). */
export const CreateRecord = z.object({
  employee_id: ref('employee', { picker: true }),
  date: date().describe('Day of work, in the calendar of the workspace. One record for each employee and day.'),
  check_in: optionalClockTime().meta({
    description: 'When work began, by the workspace’s clock; null: unknown.',
    examples: ['09:00'],
  }),
  check_out: optionalClockTime().meta({
    description: 'When work ended, by the workspace’s clock; null: not yet.',
    examples: ['17:30'],
  }),
  ends_next_day: z
    .boolean('Must be true or false.')
    .default(false)
    .meta({
      description: 'Whether work ended on the day after `date`, as a shift over midnight does: within 24 hours.',
      examples: [false],
    }),
  break_minutes: breakMinutes().default(0),
  status: choice(statuses).describe('What the day counts as. A check-in after the threshold makes it late.').default('present'),
  notes: optionalText(),
  ...place,
  change_reason: changeReason(),
})

/** ATT-24: every field except the reason for the change is optional. */
export const UpdateRecord = z.object({
  ...changesOf(CreateRecord).shape,
  work_mode: choice(workModes).nullish(),
  ...reason,
  change_reason: changeReason().meta({
    description: 'Why the record was made or changed by hand; it stands in its timeline.',
    examples: ['Forgot to check in.'],
  }),
})

/** Input of a check-in (ATT-16). */
export const CheckIn = z.object({ work_mode: choice(workModes), ...reason, ...place })
/** Input of a check-out (ATT-18). */
export const CheckOut = z.object({ ...reason, ...place, break_minutes: breakMinutes().optional() })

export const AttendanceRecord = view('attendance_records', 'AttendanceRecord', {
  id: z.int(),
  employee_id: z.int().meta({ description: 'Id of the employee.', examples: [4] }),
  employee: nameRef('employee_id', 'employee', { picker: true }),
  date: date(),
  check_in: z
    .string()
    .nullable()
    .meta({
      description: 'When work began, by the workspace’s clock: `HH:MM` or `HH:MM:SS`; null: unknown.',
      examples: ['09:00:00'],
    }),
  check_out: z
    .string()
    .nullable()
    .meta({ description: 'When work ended, by the workspace’s clock; null: not yet.', examples: ['17:30:00'] }),
  ends_next_day: z.boolean().describe('Whether `check_out` is a time of the day after `date`: a shift over midnight.'),
  break_minutes: z.int().meta({ description: 'Minutes of all breaks together, which are no attendance.', examples: [30] }),
  attended_minutes: z
    .int()
    .nullable()
    .meta({
      description:
        'Whole minutes from check-in to check-out as they went by, also where clocks change, less the breaks. null: work has not ended.',
      examples: [480],
    }),
  status: choice(statuses),
  work_mode: choice(workModes).nullable().describe('Where they work; null: nobody said.'),
  notes: longText().nullable(),
  latitude: z
    .number()
    .nullable()
    .meta({ description: 'Where the last check-in or check-out was made, in degrees; null: not told.', examples: [53.55] }),
  longitude: z
    .number()
    .nullable()
    .meta({ description: 'Where the last check-in or check-out was made, in degrees; null: not told.', examples: [9.99] }),
  reason_id: z
    .int()
    .nullable()
    .meta({
      description: 'Id of the reason of the last check-in or check-out; null: none.',
      examples: [1],
      'x-refers-to': 'attendance_reason',
    }),
  reason_notes: longText()
    .nullable()
    .meta({ description: 'More about the reason. Required with the reason Other.', examples: ['Train was late.'] }),
  check_in_reason: rowRef('check_in_reason_id', 'attendance_reasons'),
  check_in_reason_notes: longText()
    .nullable()
    .meta({ description: 'More about why the check-in was late.', examples: ['Train was late.'] }),
  check_out_reason: rowRef('check_out_reason_id', 'attendance_reasons'),
  check_out_reason_notes: longText()
    .nullable()
    .meta({ description: 'More about why they left when they did.', examples: ['Doctor.'] }),
  change_reason: sentAs(longText().nullable(), 'Checked in'),
  check_in_ip: z
    .string()
    .nullable()
    .meta({ description: 'IP address of the check-in, as the server saw it.', examples: ['203.0.113.7'] }),
  check_out_ip: z
    .string()
    .nullable()
    .meta({ description: 'IP address of the check-out, as the server saw it.', examples: ['203.0.113.7'] }),
  creator: actorRef('created_by'),
  ...stamps,
})

const Threshold = z.object({
  start: z.string().meta({ description: 'When work begins, by the workspace’s clock.', examples: ['09:00'] }),
  grace_minutes: z.int().meta({ description: 'Minutes after that which are not late yet.', examples: [10] }),
  is_late_now: z.boolean().describe('Whether a check-in at this moment would be late.'),
})

/** Today's attendance of the caller (ATT-14). */
export const TodayFacts = z
  .object({
    self_check_enabled: z.boolean().describe('Whether employees may check in themselves.'),
    require_late_reason: z.boolean().describe('Whether a late check-in must name a reason.'),
    timezone: z.string(),
    today: date().describe('The day that it is in the workspace.'),
    open_shift: AttendanceRecord.optional().describe(
      'The record of yesterday that a check-out would end now: a shift over midnight. It is absent where there is none.',
    ),
    thresholds: z
      .object({ on_site: Threshold.describe('For work on site.'), remote: Threshold.describe('For remote work.') })
      .describe('From when on a check-in is late, by where the work is done.'),
  })
  .meta({ id: 'AttendanceToday' })

const Values = z.record(z.string(), z.unknown())

/** An entry of a record's timeline (ATT-09). */
export const AttendanceActivity = z
  .object({
    id: z.int(),
    type: z.string().meta({
      description: 'What happened: `created`, `updated`, `checked_in`, `checked_out`, `deleted`, `restored`.',
      examples: ['checked_in'],
    }),
    description: z.string().meta({ description: 'What happened, as a sentence in English.', examples: ['Checked in'] }),
    change_reason: z.string().nullable(),
    properties: z.object({
      before: Values.describe('The changed fields as they were.'),
      after: Values.describe('The changed fields as they are.'),
    }),
    ip: z.string().nullable(),
    coordinates: z
      .object({ latitude: z.number(), longitude: z.number() })
      .nullable()
      .describe('Where it was done; null: not told.'),
    actor: ActorRef.nullable(),
    impersonator: Impersonator.nullable(),
    client: through(),
    created_at: instant(),
    is_truncated: isTruncated(),
  })
  .meta({ id: 'AttendanceActivity' })
