import { defineDemo } from '#kernel/demo/parts.ts'
import { fillOffers } from '#workspace/offers/demo.ts'
import { estimateOffer } from './estimates.ts'

export default defineDemo({ fill: (ctx, plan) => fillOffers(ctx, plan, estimateOffer) })
