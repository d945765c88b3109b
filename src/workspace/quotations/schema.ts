import { z } from 'zod'
import { extended, view } from '#kernel/records/view.ts'
import { changesOf, choice, optionalText } from '#kernel/values/fields.ts'
import { signatureField } from '#workspace/acceptance/public.ts'
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

export const quotationLines: LineTable = { table: 'quotation_lines', by: 'quotation_id', columns: OFFER_COLUMNS }

export const CreateQuotation = z.object(offerInput)
/** What isn't sent stays; sent lines replace the whole set. */
export const UpdateQuotation = changesOf(CreateQuotation)
export const RejectQuotation = z.object({ reason: optionalText(1000) })

export const Quotation = view('quotations', 'Quotation', { ...offerShown, status: choice(lifecycle.states) })

export const QuotationDetail = extended(Quotation, 'QuotationDetail', {
  ...offerDetail(quotationLines, 'QuotationLine'),
  issued_document: issuedDocument(),
  rejection_reason: z.string().nullable(),
  signature: signatureField(),
})

export const PrintedQuotation = QuotationDetail.pick(offerPrinted)
