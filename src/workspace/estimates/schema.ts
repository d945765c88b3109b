import { z } from 'zod'
import { extended, view } from '#kernel/records/view.ts'
import { choice } from '#kernel/values/fields.ts'
import { type LineTable, OFFER_COLUMNS } from '#workspace/billing-documents/public.ts'
import { offerDetail, offerShown } from '#workspace/offers/public.ts'
import { lifecycle } from './lifecycle.ts'

export const estimateLines: LineTable = { table: 'estimate_lines', by: 'estimate_id', columns: OFFER_COLUMNS }

export const Estimate = view('estimates', 'Estimate', { ...offerShown, status: choice(lifecycle.states) })

export const EstimateDetail = extended(Estimate, 'EstimateDetail', {
  ...offerDetail(estimateLines, 'EstimateLine'),
  decline_reason: z
    .string()
    .nullable()
    .meta({ description: 'Why the customer declined, as it was noted; null otherwise.', examples: ['Too expensive.'] }),
})
