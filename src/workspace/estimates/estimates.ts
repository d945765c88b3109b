/** Estimates: what they are, how they are listed and counted, and how drafts are made and changed. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { createRecord } from '#kernel/records/saving.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { offerSentences, priceNew, updateDraft } from '#workspace/billing-documents/public.ts'
import { lifecycle } from './lifecycle.ts'
import { CreateEstimate, Estimate, EstimateDetail, estimateLines, UpdateEstimate } from './schema.ts'

export type EstimateRow = Row<'estimates'>

export const estimates = resource({
  table: 'estimates',
  module: 'estimates',
  noun: 'estimate',
  title: 'number',
  item: Estimate,
  detail: EstimateDetail,
  numberPrefix: 'estimates_number_prefix',
  assign: 'estimates.assign',
  tallied: ['status', 'assigned_to'],
  activityTemplates: offerSentences,
})

export const estimateList = listing(estimates, {
  search: { through: { contact_id: 'contacts', company_id: 'companies' } },
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    contact_id: filter.id('contact_id'),
    company_id: filter.id('company_id'),
    assigned_to: filter.assignee(),
    my_estimates: filter.mine(),
  },
})

export const estimateStats = statsOf('EstimateStats', estimateList, {
  total: 'total_estimates',
  mine: 'my_estimates',
  states: lifecycle.states,
})

/** A draft with the next number. */
export const create = (ctx: Ctx, body: z.output<typeof CreateEstimate>) =>
  createRecord(ctx, estimates, CreateEstimate, body, () => priceNew(ctx, estimateLines, body))

/** Changes what was sent; drafts only. */
export const update = (ctx: Ctx, estimate: EstimateRow, body: z.output<typeof UpdateEstimate>) =>
  updateDraft(ctx, estimates, { schema: UpdateEstimate, lines: estimateLines }, estimate, body)
