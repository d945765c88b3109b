/** Quotations: what they are, how they are listed and counted, and how drafts are made and changed. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { createRecord } from '#kernel/records/saving.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { acceptanceSentences } from '#workspace/acceptance/public.ts'
import { offerSentences, priceNew, updateDraft } from '#workspace/billing-documents/public.ts'
import { lifecycle } from './lifecycle.ts'
import { CreateQuotation, Quotation, QuotationDetail, quotationLines, UpdateQuotation } from './schema.ts'

export type QuotationRow = Row<'quotations'>

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
})

export const quotationList = listing(quotations, {
  search: { through: { contact_id: 'contacts', company_id: 'companies' } },
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    contact_id: filter.id('contact_id'),
    company_id: filter.id('company_id'),
    assigned_to: filter.assignee(),
    my_quotations: filter.mine(),
  },
})

export const quotationStats = statsOf('QuotationStats', quotationList, {
  total: 'total_quotations',
  mine: 'my_quotations',
  states: lifecycle.states,
})

/** A draft with the next number. */
export const create = (ctx: Ctx, body: z.output<typeof CreateQuotation>) =>
  createRecord(ctx, quotations, CreateQuotation, body, () => priceNew(ctx, quotationLines, body))

/** Changes what was sent; drafts only: what a customer was sent stays what it is. */
export const update = (ctx: Ctx, quotation: QuotationRow, body: z.output<typeof UpdateQuotation>) =>
  updateDraft(ctx, quotations, { schema: UpdateQuotation, lines: quotationLines }, quotation, body)
