import { expireOverdue } from '#workspace/offers/public.ts'
import { quotationOffer } from './quotations.ts'

export default [expireOverdue(quotationOffer)]
