/** Quotations: offers accepted by the customer through a link, or by staff on their behalf. The workflow is in `offers`. */
import { emit } from '#kernel/modules/events.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { resource } from '#kernel/records/resource.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { acceptanceSentences, byLink } from '#workspace/acceptance/public.ts'
import { offerSentences, recipientAddresses } from '#workspace/billing-documents/public.ts'
import { defineOffer, isConverted } from '#workspace/offers/public.ts'
import { lifecycle } from './lifecycle.ts'
import { Quotation, QuotationDetail, quotationLines } from './schema.ts'

export const quotations = resource({
  table: 'quotations',
  module: 'quotations',
  noun: 'quotation',
  title: 'number',
  item: Quotation,
  detail: QuotationDetail,
  numberPrefix: 'quotations_number_prefix',
  assign: 'quotations.assign',
  tallied: ['status', 'assigned_to'],
  activityTemplates: { ...acceptanceSentences, ...offerSentences },
  timelineHides: recipientAddresses('quotations'),
})

export const quotationList = listing(quotations, {
  search: { through: { contact_id: 'contacts', company_id: 'companies' } },
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    contact_id: filter.id('contact_id'),
    company_id: filter.id('company_id'),
    assigned_to: filter.assignee(),
    my_quotations: filter.mine(),
    converted: isConverted,
  },
})

export const quotationStats = statsOf('QuotationStats', quotationList, {
  total: 'total_quotations',
  mine: 'my_quotations',
  states: lifecycle.states,
})

export const quotationOffer = defineOffer({
  of: quotations,
  type: 'quotation',
  list: quotationList,
  stats: quotationStats,
  lifecycle,
  lines: quotationLines,
  refusal: { move: 'reject', reason: 'rejection_reason' },
  origin: 'quotation_id',
  delivery: byLink,
  tell: {
    sent: (ctx, quotation_id) => emit(ctx, 'quotation.sent', { quotation_id }),
    accepted: (ctx, quotation_id, by) => emit(ctx, 'quotation.accepted', { quotation_id, by }),
    refused: (ctx, quotation_id, reason) => emit(ctx, 'quotation.rejected', { quotation_id, reason }),
    expired: (ctx, quotation_id) => emit(ctx, 'quotation.expired', { quotation_id }),
  },
})
