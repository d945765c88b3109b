import { sql } from 'kysely'
import { defineDemo } from '#kernel/demo/parts.ts'

import { offerToCustomers } from '#workspace/acceptance/demo.ts'
import { fillOffers } from '#workspace/billing-documents/demo/offers.ts'

import { fillIssued } from '#workspace/issued-documents/demo.ts'

import { acceptableQuotation } from './answering.ts'
import { quotationLines } from './schema.ts'

export default defineDemo({
  settings: { en: {}, de: { quotations_number_prefix: 'AN-' } },
  async fill(ctx, plan) {
    const made = await fillOffers(ctx, plan, {
      table: 'quotations',
      lines: quotationLines,
      prefix: await ctx.setting('quotations_number_prefix'),
      count: plan.share(1 / 8, { least: 16, most: 10_000 }),
      endings: [
        { often: 60, status: 'accepted' },
        { often: 25, status: 'rejected' },
        { often: 15, status: 'expired' },
      ],
    })
    await fillIssued(ctx, acceptableQuotation, sql`status <> 'draft'`)
    await offerToCustomers(ctx, plan, acceptableQuotation, ['accepted'])
    return made
  },
})
