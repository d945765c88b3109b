import { z } from 'zod'
import { extended, view } from '#kernel/records/view.ts'
import { changesOf, choice, optionalText } from '#kernel/values/fields.ts'
import {
  type LineTable,
  OFFER_COLUMNS,
  offerDetail,
  offerInput,
  offerPrinted,
  offerShown,
} from '#workspace/billing-documents/public.ts'
import { issuedDocument } from '#workspace/issued-documents/public.ts'
import { lifecycle } from './lifecycle.ts'

export const estimateLines: LineTable = { table: 'estimate_lines', by: 'estimate_id', columns: OFFER_COLUMNS }

export const CreateEstimate = z.object(offerInput)
/** What isn't sent stays; sent lines replace the whole set. */
export const UpdateEstimate = changesOf(CreateEstimate)
export const DeclineEstimate = z.object({ reason: optionalText(1000) })

export const Estimate = view('estimates', 'Estimate', { ...offerShown, status: choice(lifecycle.states) })

export const EstimateDetail = extended(Estimate, 'EstimateDetail', {
  ...offerDetail(estimateLines, 'EstimateLine'),
  issued_document: issuedDocument(),
  decline_reason: z.string().nullable(),
})

export const PrintedEstimate = EstimateDetail.pick(offerPrinted)
