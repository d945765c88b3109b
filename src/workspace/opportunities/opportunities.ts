/** Opportunities resource. Users who may not assign see only their own. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { filter, filterOf, listing } from '#kernel/records/listing.ts'
import { type Changes, type Row, resource } from '#kernel/records/resource.ts'
import { createRecord, updateRecord } from '#kernel/records/saving.ts'
import { writeActivity } from '#kernel/records/timeline.ts'
import { choice } from '#kernel/values/fields.ts'
import { refuseFractions } from '#kernel/values/money.ts'
import { CreateOpportunity, Opportunity, OpportunityDetail, statuses, statusOf, UpdateOpportunity } from './schema.ts'
import { stageFor } from './stages.ts'

type OpportunityRow = Row<'opportunities'>

export const opportunities = resource({
  table: 'opportunities',
  module: 'opportunities',
  noun: 'opportunity',
  item: Opportunity,
  detail: OpportunityDetail,
  assign: 'opportunities.assign',
  tallied: ['assigned_to'],
  activityTemplates: { stage_changed: ({ from, to }: { from: string; to: string }) => `Stage changed from ${from} to ${to}` },
})

export const opportunityList = listing(opportunities, {
  search: true,
  filters: {
    status: filterOf({
      schema: choice(statuses),
      where: (ctx: Ctx, value, column) => sql`exists (
        select from opportunity_stages s where s.tenant_id = ${ctx.tenant.id} and s.id = ${column('stage_id')} and ${statusOf} = ${value})`,
    }),
    stage_id: filter.id('stage_id'),
    contact_id: filter.id('contact_id'),
    company_id: filter.id('company_id'),
    assigned_to: filter.assignee(),
    my_opportunities: filter.mine(),
  },
})

/**
 * Returns defaults of a new opportunity: the workspace's currency and the first open stage. `at` is a prefix of the fields in a
 * 422.
 */
export async function defaultsFor(
  ctx: Ctx,
  { currency = ctx.tenant.currency, amount, stage_id }: { currency?: string; amount?: string | null; stage_id?: number },
  at = '',
) {
  refuseFractions(currency, { [`${at}amount`]: amount })
  const { id } = await stageFor(ctx, stage_id, `${at}stage_id`)
  return { currency, stage_id: id }
}

export const createOpportunity = (ctx: Ctx, body: z.output<typeof CreateOpportunity>) =>
  createRecord(ctx, opportunities, CreateOpportunity, body, () => defaultsFor(ctx, body))

export async function updateOpportunity(
  ctx: Ctx,
  opportunity: OpportunityRow,
  { stage_id, ...body }: z.output<typeof UpdateOpportunity>,
) {
  const { currency, amount } = { ...opportunity, ...(body as Changes<'opportunities'>) }
  refuseFractions(currency, { amount })
  const saved = await updateRecord(ctx, opportunities, UpdateOpportunity, opportunity, body)
  if (stage_id !== undefined && stage_id !== opportunity.stage_id) await move(ctx, saved, stage_id)
}

/** Moves an opportunity to another stage, with a timeline entry. */
async function move(ctx: Ctx, opportunity: OpportunityRow, stageId: number) {
  const [from, to] = await allPipelined(stageFor(ctx, opportunity.stage_id), stageFor(ctx, stageId))
  await allPipelined(
    opportunities.save(ctx, opportunity, { stage_id: to.id }),
    writeActivity(ctx, {
      ...{ table: opportunities.table, id: opportunity.id, type: 'stage_changed', properties: { from: from.name, to: to.name } },
      changed: { stage_id: [from.id, to.id] },
    }),
  )
}
