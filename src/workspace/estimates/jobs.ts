import { expireOverdue } from '#workspace/offers/public.ts'
import { estimateOffer } from './estimates.ts'

export default [expireOverdue(estimateOffer)]
