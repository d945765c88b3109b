/** Opportunity stages: a lookup table in pipeline order. Opportunities in a won or lost stage are closed, all others open. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { lookupRoutes } from '#kernel/http/lookup-routes.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { view } from '#kernel/records/view.ts'
import { hardStamps, text } from '#kernel/values/fields.ts'

const MAX = 1_000_000

const CreateStage = z.object({
  name: text(100),
  is_won: z.boolean().default(false),
  is_lost: z.boolean().default(false),
  sort_order: z.int('Must be a whole number.').min(0, 'Must be 0 or more.').max(MAX, `Must be at most ${MAX}.`).default(100),
})

const Stage = view('opportunity_stages', 'OpportunityStage', {
  id: z.int(),
  name: z.string(),
  is_won: z.boolean().describe('Whether opportunities in it are won.'),
  is_lost: z.boolean().describe('Whether opportunities in it are lost.'),
  sort_order: z.int(),
  ...hardStamps,
})

const stages = lookupTable({
  table: 'opportunity_stages',
  noun: 'stage',
  item: Stage,
  unique: { opportunity_stages_name: { name: 'Another stage has this name.' } },
})

export const stageRoutes = lookupRoutes(stages, '/opportunity-stages', {
  list: listing(stages, { order: { by: ['sort_order', 'name'] }, hardDeleted: true }),
  body: CreateStage,
  allow: {
    view: 'opportunities.view',
    create: 'opportunities.create',
    update: 'opportunities.update',
    delete: 'opportunities.delete',
  },
  create(ctx, body) {
    refuseBoth(body)
    return stages.insert(ctx, body)
  },
  async update(ctx, stage, body) {
    refuseBoth({ ...stage, ...body })
    await refuseReopening(ctx, stage, body)
    await stages.save(ctx, stage, body)
  },
})

function refuseBoth({ is_won, is_lost }: { is_won: boolean; is_lost: boolean }) {
  if (is_won && is_lost) throw invalid({ is_lost: 'A stage is won or lost, not both.' })
}

/** 422 on clearing a flag of a used stage, because it would reopen closed opportunities. */
async function refuseReopening(ctx: Ctx, stage: Row<'opportunity_stages'>, sent: { is_won?: boolean; is_lost?: boolean }) {
  const cleared = (['is_won', 'is_lost'] as const).find((flag) => stage[flag] && sent[flag] === false)
  if (!cleared) return
  const used = await ctx.from('opportunities').select('id').where('stage_id', '=', stage.id).limit(1).executeTakeFirst()
  if (used) throw invalid({ [cleared]: `It would reopen the opportunities in ${stage.name}: move them to another stage first.` })
}

/**
 * Returns the stage to store: the given one, or else the first open one. It can't be deleted until the transaction ends. 422 on
 * `field` where there is none.
 */
export async function stageFor(ctx: Ctx, sent: number | null | undefined, field = 'stage_id') {
  const all = ctx.from('opportunity_stages').select(['id', 'name']).forKeyShare()
  const wanted =
    sent == null
      ? all.where(sql<boolean>`not (is_won or is_lost)`).orderBy('sort_order').orderBy('name').limit(1)
      : all.where('id', '=', sent)
  const stage = await wanted.executeTakeFirst()
  if (stage) return stage
  throw invalid({ [field]: sent == null ? 'There is no open stage to begin in: make one.' : 'There is no such stage.' })
}
