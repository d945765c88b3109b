/** A record's timeline with the data that attendance adds: reason, place, values before and after (ATT-09). */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { type Activity, timelineEntryOf, timelineOf } from '#kernel/records/timeline.ts'
import { type RecordChange, records } from './records.ts'
import type { AttendanceActivity } from './schema.ts'

/** Returns a page of a record's timeline. */
export async function attendanceTimeline(ctx: Ctx, id: number, paging: { page: number; per_page: number }) {
  const { text, total } = await timelineOf(ctx, records, id, paging)
  return { rows: (JSON.parse(text) as Entry[]).map(entryOf), total }
}

/** Returns one entry of a record's timeline. */
export const attendanceEntry = async (ctx: Ctx, id: number, entryId: number) =>
  entryOf(JSON.parse((await timelineEntryOf(ctx, records, id, entryId)).text) as Entry)

type Entry = z.output<typeof Activity>

function entryOf({ properties, ...entry }: Entry): z.input<typeof AttendanceActivity> {
  const { before = {}, after = {}, change_reason = null, ip = null, latitude, longitude } = properties as Partial<RecordChange>
  const coordinates = latitude != null && longitude != null ? { latitude, longitude } : null
  return { ...entry, change_reason, ip, coordinates, properties: { before: { ...before }, after: { ...after } } }
}
