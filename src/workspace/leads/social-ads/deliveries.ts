/** The log of leads that the platform told of, for ninety days: what became of each, and why not. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { filter, listing, workspaceTable } from '#kernel/records/listing.ts'
import { view } from '#kernel/records/view.ts'
import { choice, instant, refId } from '#kernel/values/fields.ts'
import { plusSeconds } from '#kernel/values/time.ts'

const OUTCOMES = ['pending', 'accepted', 'failed'] as const
const DAYS = 90

export const LeadAdDelivery = view('lead_ad_deliveries', 'LeadAdDelivery', {
  id: z.int(),
  leadgen_id: z.string(),
  page_id: z.string(),
  outcome: choice(OUTCOMES),
  reason: z.string().nullable(),
  lead_id: refId('lead').nullable(),
  created_at: instant(),
  updated_at: instant(),
})

export const adDeliveryList = listing(workspaceTable('lead_ad_deliveries', LeadAdDelivery), {
  sorts: ['created_at', 'updated_at'],
  filters: { outcome: filter.oneOf('outcome', OUTCOMES) },
  hardDeleted: true,
})

export const sweepAdDeliveries = (ctx: Ctx) =>
  ctx.tx
    .deleteFrom('lead_ad_deliveries')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('created_at', '<', plusSeconds(ctx.now, -DAYS * 24 * 3600))
    .execute()
