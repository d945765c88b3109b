import { offerRoutes } from '#workspace/offers/public.ts'
import { estimateOffer } from './estimates.ts'

export default offerRoutes(estimateOffer)
