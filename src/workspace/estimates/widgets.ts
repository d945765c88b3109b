import { sentWidget } from '#workspace/offers/public.ts'
import { estimateOffer } from './estimates.ts'

export default [sentWidget(estimateOffer)]
