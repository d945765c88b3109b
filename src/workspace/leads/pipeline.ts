/**
 * Moves leads through pipeline stages, which leaves their status (LEAD-45), and serves the board with a column per stage
 * (LEAD-35).
 */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import { boardOf } from '#kernel/records/board.ts'
import { writeActivity } from '#kernel/records/timeline.ts'
import { id, money, optionalText } from '#kernel/values/fields.ts'
import { type Lead, leadList, leads } from './leads.ts'
import { Lead as LeadItem } from './schema.ts'
import { LeadStage, type Stage, stagesOf } from './stages.ts'

export const MoveLead = z.object({
  stage_id: id().meta({ 'x-refers-to': 'lead_stage' }),
  reason: optionalText(1000).meta({
    description: 'Why it is moved, as for one that is lost: the timeline tells it.',
    examples: ['They chose a cheaper one.'],
  }),
})

/** Moves a lead to another stage with a timeline entry; a no-op for the current stage. 422 on `stage_id` for an unknown one. */
export async function moveToStage(ctx: Ctx, lead: Lead, stageId: number, reason?: string | null) {
  if (stageId === lead.stage_id) return
  const stages = await stagesOf(ctx)
  const from = stageAmong(stages, lead.stage_id)
  const to = stageAmong(stages, stageId)
  const names = {
    from: from.name,
    to: to.name,
    from_id: from.id,
    to_id: to.id,
    ...(reason?.trim() ? { reason: reason.trim() } : {}),
  }
  await allPipelined(
    leads.save(ctx, lead, standingIn(to, lead.won_at ?? ctx.now)),
    writeActivity(ctx, {
      ...{ table: leads.table, id: lead.id, type: 'stage_changed', properties: names },
      changed: { stage_id: [from.id, to.id] },
    }),
  )
}

/** Returns a stage of the workspace, by default the first one; 422 on `stage_id` for an unknown id. */
export function stageAmong(stages: Stage[], stageId: number | undefined): Stage {
  const stage = stageId === undefined ? stages[0] : stages.find(({ id }) => id === stageId)
  if (!stage) throw invalid({ stage_id: 'There is no such stage in this workspace.' })
  return stage
}

/** Columns of a lead that depend on its stage. `wonAt` is the time of winning. */
export const standingIn = (stage: Stage, wonAt: string) => ({ stage_id: stage.id, won_at: stage.is_won ? wonAt : null })

const board = boardOf(leadList, { by: 'stage_id', sums: ['lead_value'] })

export const boardQuery = board.query

export const BoardColumn = z
  .object({
    stage: LeadStage.describe('The stage that the column is.'),
    lead_count: z.int(),
    total_lead_value: money().describe('Sum of the values of all its leads.'),
    leads: z.array(LeadItem).describe('The first of them.'),
  })
  .meta({ id: 'LeadBoardColumn' })

export async function readBoard(ctx: Ctx, query: z.output<typeof boardQuery>) {
  const stages = await stagesOf(ctx)
  const columns = await board.read(
    ctx,
    query,
    stages.map(({ id }) => id),
  )
  return columns.map(({ count, sums, rows }, n) => ({
    ...{ stage: stages[n]!, lead_count: count, total_lead_value: sums.lead_value, leads: rows },
  }))
}
