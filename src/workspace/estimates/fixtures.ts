import type { Ctx } from '#kernel/context.ts'
import { defineDemo } from '#kernel/modules/demo.ts'
import { fillOffers } from '#workspace/billing-documents/public.ts'
import { estimateLines } from './schema.ts'

export default defineDemo({
  fill: async (ctx, plan) =>
    fillOffers(ctx, plan, {
      table: 'estimates',
      lines: estimateLines,
      prefix: await ctx.setting('estimates_number_prefix'),
      count: plan.share(1 / 10, { least: 12, most: 10_000 }),
      contacts: await founded(ctx, 'contacts'),
      companies: await founded(ctx, 'companies'),
      endings: [
        { often: 60, status: 'accepted' },
        { often: 25, status: 'declined' },
        { often: 15, status: 'expired' },
      ],
    }),
})

const founded = (ctx: Ctx, table: 'contacts' | 'companies') =>
  ctx.tx.selectFrom(table).select(['id', 'created_at']).where('tenant_id', '=', ctx.tenant.id).orderBy('id').execute()
