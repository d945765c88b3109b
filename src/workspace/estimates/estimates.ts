/** Estimates: offers whose answer is entered by staff. Their transitions are in `offers`. */
import { emit } from '#kernel/modules/events.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { resource } from '#kernel/records/resource.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { offerSentences, recipientAddresses } from '#workspace/billing-documents/public.ts'
import { defineOffer, isConverted } from '#workspace/offers/public.ts'
import { lifecycle } from './lifecycle.ts'
import { Estimate, EstimateDetail, estimateLines } from './schema.ts'

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
  timelineHides: recipientAddresses('estimates'),
})

export const estimateList = listing(estimates, {
  search: { through: { contact_id: 'contacts', company_id: 'companies' } },
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    contact_id: filter.id('contact_id'),
    company_id: filter.id('company_id'),
    assigned_to: filter.assignee(),
    my_estimates: filter.mine(),
    converted: isConverted,
  },
})

export const estimateStats = statsOf('EstimateStats', estimateList, {
  total: 'total_estimates',
  mine: 'my_estimates',
  states: lifecycle.states,
})

/** Routes and transitions that estimates share with other offers. */
export const estimateOffer = defineOffer({
  of: estimates,
  type: 'estimate',
  list: estimateList,
  stats: estimateStats,
  lifecycle,
  lines: estimateLines,
  refusal: { move: 'decline', reason: 'decline_reason' },
  origin: 'estimate_id',
  tell: {
    sent: (ctx, estimate_id) => emit(ctx, 'estimate.sent', { estimate_id }),
    accepted: (ctx, estimate_id) => emit(ctx, 'estimate.accepted', { estimate_id }),
    refused: (ctx, estimate_id, reason) => emit(ctx, 'estimate.declined', { estimate_id, reason }),
    expired: (ctx, estimate_id) => emit(ctx, 'estimate.expired', { estimate_id }),
  },
})
