/** The board: a column for each stage (LEAD-35). */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { boardOf } from '#kernel/records/board.ts'
import { money } from '#kernel/values/fields.ts'
import { leadList } from './leads.ts'
import { Lead } from './schema.ts'
import { LeadStage, stagesOf } from './stages/stages.ts'

const board = boardOf(leadList, { by: 'stage_id', sums: ['lead_value'] })

export const boardQuery = board.query

export const BoardColumn = z
  .object({ stage: LeadStage, lead_count: z.int(), total_lead_value: money(), leads: z.array(Lead) })
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
