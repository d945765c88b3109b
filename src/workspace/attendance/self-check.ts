/** Self check-in and check-out, at the server's time (ATT-13 … ATT-20). */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import type { Changes, Row } from '#kernel/records/resource.ts'
import { activeEmployeeOf } from '#workspace/employees/public.ts'
import { thresholdOf, timeNow } from './clock.ts'
import { checkReason, reasonOf } from './reasons.ts'
import { insertRecord, saveRecord } from './records.ts'
import type { CheckIn, CheckOut } from './schema.ts'
import { assertShift, MAX_SHIFT_HOURS, spanOf, withMinutes } from './shifts.ts'

/** Returns the actor's active employee; undefined if there is none. */
export const ownEmployee = async (ctx: Ctx) => (ctx.entitled('employees') ? activeEmployeeOf(ctx, ctx.actor.id!) : undefined)

/** Like `ownEmployee`, and undefined if the workspace has no self check-in. */
export const selfChecking = async (ctx: Ctx) => ((await ctx.setting('attendance_self_check_in')) ? ownEmployee(ctx) : undefined)

/** Returns the actor's active employee; 403 if there is none or the workspace has no self check-in. */
export async function requireSelf(ctx: Ctx) {
  const employee = await selfChecking(ctx)
  if (!employee) throw forbidden('Only active employees check in and out, where the workspace lets them.')
  return employee
}

/** Returns the same, locked. */
async function lockSelf(ctx: Ctx) {
  const employee = await requireSelf(ctx)
  await lockEmployee(ctx, employee)
  return employee
}

/** Serialises check-ins of an employee. */
const lockEmployee = (ctx: Ctx, { id }: { id: number }) =>
  ctx.from('employees').select('id').where('id', '=', id).forNoKeyUpdate().execute()

export const recordOfToday = (ctx: Ctx, employeeId: number): Promise<Row<'attendance_records'> | undefined> =>
  ctx
    .from('attendance_records')
    .selectAll()
    .where('employee_id', '=', employeeId)
    .where('date', '=', ctx.today())
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** Returns the record of yesterday that hasn't ended, if it began at most 16 hours ago: a shift over midnight. */
export async function openShift(ctx: Ctx, employeeId: number): Promise<Row<'attendance_records'> | undefined> {
  const record = await ctx
    .from('attendance_records')
    .selectAll()
    .where('employee_id', '=', employeeId)
    .where('date', '=', Temporal.PlainDate.from(ctx.today()).subtract({ days: 1 }).toString())
    .where('check_in', 'is not', null)
    .where('check_out', 'is', null)
    .where('status', '<>', 'absent')
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!record) return undefined
  const { checked_in_at } = spanOf(ctx, record, record)
  return Date.parse(ctx.now) - Date.parse(checked_in_at!) <= MAX_SHIFT_HOURS * 3_600_000 ? record : undefined
}

/**
 * Checks in, once per day in the workspace's time zone; a change of the zone may begin another day, with another check-in. 422 on
 * `check_in` the second time, on `reason_id` if a late check-in requires one. Returns the record's id.
 */
export async function checkIn(ctx: Ctx, body: z.output<typeof CheckIn>): Promise<number> {
  const employee = await lockSelf(ctx)
  const record = await recordOfToday(ctx, employee.id)
  if (record?.check_in) throw invalid({ check_in: `You checked in today at ${record.check_in}.` })
  const { is_late_now } = await thresholdOf(ctx, body.work_mode)
  if (is_late_now && body.reason_id == null && (await ctx.setting('attendance_require_late_reason')))
    throw invalid({ reason_id: 'You are late: say why.' })
  await checkReason(ctx, body, 'check_in_late')
  const { reason_id, reason_notes, ...arrival } = body
  return arrive(ctx, employee.id, record, is_late_now, { ...arrival, ...reasonOf('check_in', { reason_id, reason_notes }) })
}

type Arrival = Pick<z.output<typeof CheckIn>, 'work_mode'> & Changes<'attendance_records'>

/** Stores the arrival; if somebody created a record of today by hand, it is completed. */
async function arrive(
  ctx: Ctx,
  employee_id: number,
  record: Row<'attendance_records'> | undefined,
  late: boolean,
  sent: Arrival,
) {
  const status = late ? ('late' as const) : sent.work_mode === 'remote' ? ('remote' as const) : ('present' as const)
  const arrival = { ...sent, status, check_in: timeNow(ctx) }
  const check_in_ip = ctx.request.ip
  const span = { checked_in_at: secondOf(ctx) }
  if (!record) {
    const columns = { ...arrival, employee_id, date: ctx.today(), check_in_ip }
    return (await insertRecord(ctx, 'checked_in', columns, span)).id
  }
  await saveRecord(ctx, record, 'checked_in', arrival, { check_in_ip, ...span })
  return record.id
}

/** Current instant in whole seconds, like clock times. */
const secondOf = ({ now }: Ctx) =>
  Temporal.Instant.from(now).round({ smallestUnit: 'second', roundingMode: 'floor' }).toString({ fractionalSecondDigits: 3 })

/**
 * Ends the record of today, or the shift over midnight that began yesterday. 422 on `check_in` if there is neither, on
 * `check_out` the second time, on `break_minutes` if the break is longer than the shift. Returns the record's id.
 */
export async function checkOut(ctx: Ctx, body: z.output<typeof CheckOut>): Promise<number> {
  const employee = await lockSelf(ctx)
  const today = await recordOfToday(ctx, employee.id)
  const shift = today?.check_in ? undefined : await openShift(ctx, employee.id)
  const record = shift ?? today
  if (!record?.check_in) throw invalid({ check_in: 'You did not check in today.' })
  if (record.check_out) throw invalid({ check_out: `You checked out today at ${record.check_out}.` })
  await checkReason(ctx, body, 'check_out')
  const { reason_id, reason_notes, ...rest } = body
  const now = timeNow(ctx)
  // The workspace's clock may have been set back, or its time zone changed.
  const isWithin = shift ? now <= record.check_in : now >= record.check_in
  const check_out = isWithin ? now : record.check_in
  const times = { check_out, ends_next_day: shift !== undefined }
  const { checked_in_at } = spanOf(ctx, record, record)
  const span = withMinutes({ checked_in_at, checked_out_at: secondOf(ctx) }, rest.break_minutes ?? record.break_minutes)
  if (rest.break_minutes !== undefined) assertShift({ ...record, ...times, break_minutes: rest.break_minutes }, span)
  const departure = { ...rest, ...reasonOf('check_out', { reason_id, reason_notes }), ...times }
  await saveRecord(ctx, record, 'checked_out', departure, { check_out_ip: ctx.request.ip, ...span })
  return record.id
}

/**
 * Checks in on site at the first sign-in of a day if the workspace's setting requires it (ATT-08), unless a shift over midnight
 * is open. It requires no reason, so that it can't prevent signing in. Impersonated sign-ins don't call it.
 */
export async function checkInOnSignIn(ctx: Ctx) {
  if (!(await ctx.setting('attendance_auto_check_in_on_login'))) return
  const employee = await selfChecking(ctx)
  if (!employee) return
  await lockEmployee(ctx, employee)
  if ((await recordOfToday(ctx, employee.id)) || (await openShift(ctx, employee.id))) return
  const { is_late_now } = await thresholdOf(ctx, 'on_site')
  await arrive(ctx, employee.id, undefined, is_late_now, { work_mode: 'on_site' })
}
