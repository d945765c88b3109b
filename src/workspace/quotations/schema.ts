import { z } from 'zod'
import { extended, view } from '#kernel/records/view.ts'
import { choice } from '#kernel/values/fields.ts'
import { signatureField } from '#workspace/acceptance/public.ts'
import { type LineTable, OFFER_COLUMNS } from '#workspace/billing-documents/public.ts'
import { offerDetail, offerShown } from '#workspace/offers/public.ts'
import { lifecycle } from './lifecycle.ts'

export const quotationLines: LineTable = { table: 'quotation_lines', by: 'quotation_id', columns: OFFER_COLUMNS }

export const Quotation = view('quotations', 'Quotation', { ...offerShown, status: choice(lifecycle.states) })

export const QuotationDetail = extended(Quotation, 'QuotationDetail', {
  ...offerDetail(quotationLines, 'QuotationLine'),
  rejection_reason: z
    .string()
    .nullable()
    .meta({ description: 'Why the customer rejected it, as it was noted; null otherwise.', examples: ['Too expensive.'] }),
  signature: signatureField(),
})
