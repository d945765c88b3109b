import { offerRoutes } from '#workspace/offers/public.ts'
import { quotationOffer } from './quotations.ts'

export default offerRoutes(quotationOffer)
