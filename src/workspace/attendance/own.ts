/** Data that employees see about themselves, without a permission. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { blankIsAbsent, Paging } from '#kernel/records/listing.ts'
import { choice, date } from '#kernel/values/fields.ts'
import { recordList } from './records.ts'
import { reasonKinds } from './schema.ts'
import { requireSelf } from './self-check.ts'

const end = (description: string) =>
  date()
    .meta({ description, examples: ['2026-11-20'] })
    .optional()

export const OwnRecordsQuery = z.preprocess(
  blankIsAbsent,
  z.object({ ...Paging.shape, date_from: end('That day and later ones.'), date_to: end('That day and earlier ones.') }),
)

export const OfferedReason = z
  .object({
    id: z.int(),
    kind: choice(reasonKinds),
    name: z.string(),
    is_other: z.boolean().describe('Whether it asks for `reason_notes`.'),
  })
  .meta({ id: 'OfferedAttendanceReason' })

/** 403 for users who aren't employees with self check-in. */
export async function ownRecords(ctx: Ctx, query: z.output<typeof OwnRecordsQuery>) {
  const { id } = await requireSelf(ctx)
  const latest = { ...query, sort: 'date', direction: 'desc' as const }
  return recordList.page(ctx, latest, { only: sql`attendance_records.employee_id = ${id}` })
}

const MAX_SHOWN = 200

/** 403 for users who aren't employees with self check-in. */
export async function offeredReasons(ctx: Ctx) {
  await requireSelf(ctx)
  return ctx
    .from('attendance_reasons')
    .select(['id', 'kind', 'name', 'is_other'])
    .where('is_active', '=', true)
    .orderBy('kind')
    .orderBy('sort_order')
    .orderBy('name')
    .limit(MAX_SHOWN)
    .execute()
}
