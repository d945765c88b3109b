/** A record's timeline with what attendance adds to it: why, from where, before and after (ATT-09). */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { timelineOf } from '#kernel/records/timeline.ts'
import { type RecordChange, records } from './records.ts'
import type { AttendanceActivity } from './schema.ts'

export async function attendanceTimeline(ctx: Ctx, id: number, paging: { page: number; per_page: number }) {
  const { rows, total } = await timelineOf(ctx, records, id, paging)
  return { rows: rows.map(entryOf), total }
}

type Entry = Awaited<ReturnType<typeof timelineOf>>['rows'][number]

function entryOf({ properties, ...entry }: Entry): z.input<typeof AttendanceActivity> {
  const { before = {}, after = {}, change_reason = null, ip = null, latitude, longitude } = properties as Partial<RecordChange>
  const coordinates = latitude != null && longitude != null ? { latitude, longitude } : null
  return { ...entry, change_reason, ip, coordinates, properties: { before: { ...before }, after: { ...after } } }
}
