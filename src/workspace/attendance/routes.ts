import { z } from 'zod'
import { missing } from '#kernel/context.ts'
import { recordRoutes } from '#kernel/http/record-routes.ts'
import { under, workspace } from '#kernel/http/route.ts'
import { Paging } from '#kernel/records/listing.ts'
import { thresholdOf, timeNow } from './clock.ts'
import { AttendanceDay, attendanceOn, DayQuery } from './day.ts'
import { OfferedReason, OwnRecordsQuery, offeredReasons, ownRecords } from './own.ts'
import { reasonRoutes } from './reasons.ts'
import { createRecord, recordList, recordSeries, recordStats, records, updateRecord } from './records.ts'
import { AttendanceActivity, AttendanceRecord, CheckIn, CheckOut, CreateRecord, TodayFacts, UpdateRecord } from './schema.ts'
import { checkIn, checkOut, openShift, ownEmployee, recordOfToday, selfChecking } from './self-check.ts'
import { attendanceEntry, attendanceTimeline } from './timeline.ts'

const { get, post } = workspace

/** Routes for the caller's own attendance, for employees with self check-in: they require no permission. */
const ownRoutes = [
  get(
    '/attendance-records',
    {
      operation: 'listMyAttendance',
      summary: 'My attendance',
      description: 'Answers a page of the caller’s own records, the latest day first. For employees who may check in themselves.',
      allow: 'signed-in',
      query: OwnRecordsQuery,
      page: AttendanceRecord,
    },
    (ctx, { query }) => ownRecords(ctx, query),
  ),
  get(
    '/attendance-reasons',
    {
      operation: 'listOfferedAttendanceReasons',
      summary: 'Reasons to choose from',
      description: 'Answers the reasons that a check-in or check-out may name now. For employees who may check in themselves.',
      allow: 'signed-in',
      reply: z.array(OfferedReason),
    },
    (ctx) => offeredReasons(ctx),
  ),
]

export default [
  ...reasonRoutes,
  ...under('/me', ownRoutes),
  ...under('/attendance-records', [
    get(
      '/today',
      {
        operation: 'showMyAttendance',
        description:
          'Answers the caller’s record of today or null, and in `meta` what a check-in needs to know. For employees who may check in themselves, and for those who may view attendance.',
        summary: 'My attendance of today',
        allow: 'signed-in',
        reply: AttendanceRecord.nullable(),
        meta: TodayFacts,
      },
      async (ctx) => {
        const mayView = ctx.can('attendance.view')
        const self = await (mayView ? ownEmployee(ctx) : selfChecking(ctx))
        if (!self && !mayView) throw missing('attendance.view')
        const record = self && (await recordOfToday(ctx, self.id))
        const shift = self && !record?.check_in ? await openShift(ctx, self.id) : undefined
        return {
          data: record ? await records.renderUnscoped(ctx, record.id) : null,
          meta: {
            self_check_enabled: await ctx.setting('attendance_self_check_in'),
            require_late_reason: await ctx.setting('attendance_require_late_reason'),
            timezone: ctx.tenant.timezone,
            today: ctx.today(),
            ...(shift ? { open_shift: await records.renderUnscoped(ctx, shift.id) } : {}),
            thresholds: { on_site: await thresholdOf(ctx, 'on_site'), remote: await thresholdOf(ctx, 'remote') },
          },
        }
      },
    ),
    post(
      '/check-in',
      {
        operation: 'checkIn',
        description:
          'Notes that the caller comes to work now, by the workspace’s clock. Once a day by that clock: where its zone was changed meanwhile, another day is another record. Who is late may have to name a reason; grace ends with the day.',
        summary: 'Check in',
        allow: 'signed-in',
        grants: false,
        body: CheckIn,
        reply: AttendanceRecord,
        message: 'Checked in.',
      },
      async (ctx, { body }) => records.renderUnscoped(ctx, await checkIn(ctx, body)),
    ),
    post(
      '/check-out',
      {
        operation: 'checkOut',
        description:
          'Notes that the caller leaves work now. It needs a check-in before it: of today, or the open one of yesterday where that is at most 16 hours ago, whose shift then ends on the next day. `break_minutes` of all breaks may be sent along.',
        summary: 'Check out',
        allow: 'signed-in',
        grants: false,
        body: CheckOut,
        reply: AttendanceRecord,
        message: 'Checked out.',
      },
      async (ctx, { body }) => records.renderUnscoped(ctx, await checkOut(ctx, body)),
    ),
    get(
      '/day',
      {
        operation: 'showAttendanceDay',
        summary: 'A day of everybody',
        description:
          'Answers a day of the firm: each active employee with whether they are in and their record, up to 200 a page, and how many are in which state.',
        allow: 'attendance.view',
        query: DayQuery,
        reply: AttendanceDay,
      },
      async (ctx, { query }) => ({ ...(await attendanceOn(ctx, query)), today: ctx.today(), now: timeNow(ctx) }),
    ),
    ...recordRoutes(records, {
      list: recordList,
      stats: recordStats,
      series: recordSeries,
      body: CreateRecord,
      changes: UpdateRecord,
      create: createRecord,
      update: updateRecord,
      timeline: false,
    }),
    get('/:id/timeline', { allow: 'attendance.view', query: Paging, page: AttendanceActivity }, async (ctx, { id, query }) => {
      await records.find(ctx, id)
      return attendanceTimeline(ctx, id, query)
    }),
    get(
      '/:id/timeline/:activity_id',
      { allow: 'attendance.view', reply: AttendanceActivity },
      async (ctx, { id, activity_id }) => {
        await records.find(ctx, id)
        return attendanceEntry(ctx, id, activity_id)
      },
    ),
  ]),
]
