import { sql } from 'kysely'
import { defineDemo } from '#kernel/demo/parts.ts'

import { fillOffers } from '#workspace/billing-documents/demo/offers.ts'

import { fillIssued } from '#workspace/issued-documents/demo.ts'

import { estimateLines } from './schema.ts'
import { issuableEstimate } from './sending.ts'

export default defineDemo({
  async fill(ctx, plan) {
    const made = await fillOffers(ctx, plan, {
      table: 'estimates',
      lines: estimateLines,
      prefix: await ctx.setting('estimates_number_prefix'),
      count: plan.share(1 / 8, { least: 16, most: 10_000 }),
      endings: [
        { often: 60, status: 'accepted' },
        { often: 25, status: 'declined' },
        { often: 15, status: 'expired' },
      ],
    })
    await fillIssued(ctx, issuableEstimate, sql`status <> 'draft'`)
    return made
  },
})
