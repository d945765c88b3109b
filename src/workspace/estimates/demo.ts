import { defineDemo } from '#kernel/demo/parts.ts'
import { fillOffers } from '#workspace/billing-documents/demo/offers.ts'
import { estimateLines } from './schema.ts'

export default defineDemo({
  fill: async (ctx, plan) =>
    fillOffers(ctx, plan, {
      table: 'estimates',
      lines: estimateLines,
      prefix: await ctx.setting('estimates_number_prefix'),
      count: plan.share(1 / 8, { least: 16, most: 10_000 }),
      endings: [
        { often: 60, status: 'accepted' },
        { often: 25, status: 'declined' },
        { often: 15, status: 'expired' },
      ],
    }),
})
