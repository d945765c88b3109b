import { sentWidget } from '#workspace/offers/public.ts'
import { quotationOffer } from './quotations.ts'

export default [sentWidget(quotationOffer)]
