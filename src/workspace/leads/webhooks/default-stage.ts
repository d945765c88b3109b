import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { stagesOf } from '../stages/stages.ts'

/** 422 on `default_stage_id` for one that isn't a stage of the workspace. */
export async function refuseUnknownDefault(ctx: Ctx, stageId: number | null | undefined) {
  if (stageId == null) return
  if (!(await stagesOf(ctx)).some(({ id }) => id === stageId))
    throw invalid({ default_stage_id: 'There is no such stage in this workspace.' })
}
