/** Attendance records: one per employee and day (ATT-02). Users who may see any may see all. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { changedFields } from '#kernel/records/changes.ts'
import { filter, type ListQuery, listing } from '#kernel/records/listing.ts'
import { checkReferences } from '#kernel/records/references.ts'
import { type Changes, type Row, resource } from '#kernel/records/resource.ts'
import { seriesOf } from '#kernel/records/series.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { scalarColumns } from '#kernel/records/view.ts'
import { words } from '#kernel/values/words.ts'
import { checkReason, endOf, type GivenReason, reasonOf } from './reasons.ts'
import { AttendanceRecord, CreateRecord, statuses, UpdateRecord, workModes } from './schema.ts'
import { assertShift, spanOf } from './shifts.ts'

/** Data of a timeline entry besides its type (ATT-09). */
export interface RecordChange {
  before: object
  after: object
  change_reason?: string
  ip: string
  latitude?: number | null
  longitude?: number | null
}

export const records = resource({
  table: 'attendance_records',
  module: 'attendance',
  noun: 'attendance record',
  title: 'date',
  item: AttendanceRecord,
  tallied: ['status'],
  unique: { attendance_records_day: { date: 'This employee has a record of this day already.' } },
  activityTemplates: {
    created: (_: RecordChange) => 'Created',
    updated: ({ after }: RecordChange) => `Changed ${Object.keys(after).map(words).join(', ')}`,
    checked_in: (_: RecordChange) => 'Checked in',
    checked_out: (_: RecordChange) => 'Checked out',
  },
})

/** Columns with few distinct values, which aren't useful for sorting and have no index. */
const UNSORTED = ['external_id', 'ends_next_day', 'break_minutes']
const sorts = ['updated_at', ...scalarColumns(AttendanceRecord)].filter((name) => !UNSORTED.includes(name))

export const recordList = listing(records, {
  sorts: sorts as (keyof Row<'attendance_records'> & string)[],
  search: { through: { employee_id: 'employees' } },
  filters: {
    employee_id: filter.id('employee_id'),
    status: filter.oneOf('status', statuses),
    work_mode: filter.oneOf('work_mode', workModes),
    reason_id: filter.id('reason_id'),
    date: filter.date('date'),
    date_from: filter.from('date'),
    date_to: filter.to('date'),
  },
})

/** Attended hours and breaks by day, week and month; a shift counts on the day it began. */
export const recordSeries = seriesOf('AttendanceSeries', recordList, {
  by: ['date', 'created_at'],
  of: ['count', 'attended_minutes', 'break_minutes'],
  splits: ['status', 'work_mode'],
})

/** ATT-11; an open record has a check-in of today and no check-out (ATT-12). */
export const recordStats = statsOf('AttendanceStats', recordList, {
  total: 'total',
  states: statuses,
  more: { reply: { checked_in_open: z.int(), on_site_open: z.int(), remote_open: z.int() }, read: openNow },
})

async function openNow(ctx: Ctx, query: ListQuery) {
  const { rows } = await sql<{ checked_in_open: number; on_site_open: number; remote_open: number }>`
    select count(*)::int as checked_in_open, (count(*) filter (where work_mode = 'on_site'))::int as on_site_open,
      (count(*) filter (where work_mode = 'remote'))::int as remote_open
    from attendance_records where ${recordList.condition(ctx, query)}
    and date = ${ctx.today()}::date and check_in is not null and check_out is null`.execute(ctx.tx)
  return rows[0]!
}

/** 422 on `employee_id`, and on `date` if the employee already has a record of that day. */
export async function createRecord(ctx: Ctx, { change_reason, ...body }: z.output<typeof CreateRecord>) {
  await checkReferences(ctx, CreateRecord, body)
  const span = spanOf(ctx, body)
  assertShift(body, span)
  const { id } = await insertRecord(ctx, 'created', { ...body, change_reason }, span)
  return { id, inserted: Promise.resolve() }
}

type Columns = Parameters<typeof records.insert>[1]

/** Inserts a record; its timeline shows the initial values. */
export function insertRecord(ctx: Ctx, type: 'created' | 'checked_in', columns: Columns, span: Changes<'attendance_records'>) {
  const { change_reason, check_in_ip: _, ends_next_day, break_minutes, ...rest } = columns
  const after = { ...rest, ends_next_day: ends_next_day || undefined, break_minutes: break_minutes || undefined }
  return records.insert(
    ctx,
    { ...columns, ...span },
    { activity: { type, properties: told(ctx, {}, given(after), change_reason) } },
  )
}

const SHIFT_FIELDS = ['check_in', 'check_out', 'ends_next_day', 'break_minutes'] as const

/** Changes a record by hand (ATT-24); writes nothing if nothing changed. */
export async function updateRecord(
  ctx: Ctx,
  record: Row<'attendance_records'>,
  { change_reason, ...sent }: z.output<typeof UpdateRecord>,
) {
  await checkReferences(ctx, UpdateRecord, sent, record)
  const { reason_id, reason_notes, ...times } = sent
  // A reopened record doesn't end on the next day.
  const changes = { ...times, ...(times.check_out === null ? { ends_next_day: times.ends_next_day ?? false } : {}) }
  const shift = { ...record, ...given(changes) }
  const span = spanOf(ctx, shift, record)
  if (SHIFT_FIELDS.some((name) => changes[name] !== undefined && changes[name] !== record[name])) assertShift(shift, span)
  const reason = await changedReason(ctx, record, { reason_id, reason_notes })
  await saveRecord(ctx, record, 'updated', { ...changes, ...reason }, { change_reason, ...span })
}

/**
 * Returns the columns of a reason set by hand. Its kind determines the end of the day; without a reason, the end that has one
 * already. Fields that aren't sent stay unchanged.
 */
async function changedReason(ctx: Ctx, record: Row<'attendance_records'>, sent: GivenReason) {
  if (sent.reason_id === undefined && sent.reason_notes === undefined) return {}
  const isOut = record.check_out_reason_id !== null || record.check_out_reason_notes !== null
  const end = (await endOf(ctx, sent.reason_id)) ?? (isOut ? 'check_out' : 'check_in')
  const reason = {
    reason_id: sent.reason_id === undefined ? record[`${end}_reason_id`] : sent.reason_id,
    reason_notes: sent.reason_notes === undefined ? record[`${end}_reason_notes`] : sent.reason_notes,
  }
  await checkReason(ctx, reason)
  return reasonOf(end, reason)
}

/** Saves and records the fields that differ; `also` contains columns that are saved but not recorded as changes. */
export async function saveRecord(
  ctx: Ctx,
  record: Row<'attendance_records'>,
  type: 'updated' | 'checked_in' | 'checked_out',
  sent: Changes<'attendance_records'>,
  also: Changes<'attendance_records'>,
) {
  const changes = changedFields(record, sent)
  const names = Object.keys(changes) as (keyof typeof changes)[]
  if (!names.length) return
  const before = Object.fromEntries(names.map((name) => [name, record[name]]))
  await records.save(ctx, record, { ...changes, ...also })
  await logActivity(ctx, records, record.id, type, told(ctx, before, changes, also.change_reason))
}

const given = <T extends object>(columns: T) =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as T

const told = (ctx: Ctx, before: object, after: object, change_reason?: string | null): RecordChange => {
  const { latitude, longitude } = after as Partial<Row<'attendance_records'>>
  return { before, after, change_reason: change_reason ?? undefined, ip: ctx.request.ip, latitude, longitude }
}
