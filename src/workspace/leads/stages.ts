/** Pipeline stages in order, seeded from New to Won and Lost (LEAD-16). Their flags, not a lead's status, define won and lost. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { joinById } from '#kernel/records/embed.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { type At, embedded, view } from '#kernel/records/view.ts'

export type Stage = Row<'lead_stages'>

export const LeadStage = view('lead_stages', 'LeadStage', {
  id: z.int(),
  name: z.string(),
  sort_order: z.int(),
  is_won: z.boolean().describe('Whether leads in it are won.'),
  is_lost: z.boolean().describe('Whether leads in it are lost.'),
})

const stages = lookupTable({ table: 'lead_stages', noun: 'stage', item: LeadStage })

export const stageList = listing(stages, { order: { by: ['sort_order', 'name'] }, hardDeleted: true })

/** Returns all stages of the workspace in order. */
export const stagesOf = (ctx: Ctx): Promise<Stage[]> =>
  ctx.from('lead_stages').selectAll().orderBy('sort_order').orderBy('id').execute()

/** View field: the lead's stage. */
export const stageRef = () =>
  embedded(LeadStage, {
    columns: ['stage_id'],
    refersTo: 'lead_stage',
    join: ({ ctx, table, as }: At) => joinById(ctx, 'lead_stages', as, `${table}.stage_id`),
    value({ as }) {
      const of = (column: keyof Stage) => sql.ref(`${as}.${column}`)
      return sql`json_build_object('id', ${of('id')}, 'name', ${of('name')}, 'sort_order', ${of('sort_order')}, 'is_won', ${of('is_won')}, 'is_lost', ${of('is_lost')})`
    },
  })

/** 422 on `default_stage_id` for one that isn't a stage of the workspace. */
export async function refuseUnknownDefault(ctx: Ctx, stageId: number | null | undefined) {
  if (stageId == null) return
  if (!(await stagesOf(ctx)).some(({ id }) => id === stageId))
    throw invalid({ default_stage_id: 'There is no such stage in this workspace.' })
}
