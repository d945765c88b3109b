/** Initial data of a workspace: the pipeline (LEAD-16), system tags and a few default tags. */
import type { Ctx } from '#kernel/context.ts'
import { defineInstallation } from '#kernel/modules/module.ts'

const stages = [
  { name: 'New', is_won: false, is_lost: false },
  { name: 'Contacted', is_won: false, is_lost: false },
  { name: 'Qualified', is_won: false, is_lost: false },
  { name: 'Proposal', is_won: false, is_lost: false },
  { name: 'Negotiation', is_won: false, is_lost: false },
  { name: 'Won', is_won: true, is_lost: false },
  { name: 'Lost', is_won: false, is_lost: true },
]

const plain = { behavior: 'none', auto_follow_up_days: null, system: null } as const
const tags = [
  { ...plain, name: 'Direct Lead', slug: 'direct-lead', color: '#2563EB', system: 'direct' },
  { ...plain, name: 'Company Lead', slug: 'company-lead', color: '#7C3AED', system: 'company' },
  { ...plain, name: 'Duplicate', slug: 'duplicate', color: '#6B7280', system: 'duplicate' },
  { ...plain, name: 'Hot', slug: 'hot', color: '#DC2626' },
  { ...plain, name: 'Cold', slug: 'cold', color: '#0EA5E9' },
  { ...plain, name: 'Call back', slug: 'call-back', color: '#D97706', behavior: 'auto_follow_up', auto_follow_up_days: 2 },
  { ...plain, name: 'Appointment', slug: 'appointment', color: '#16A34A', behavior: 'force_follow_up' },
] as const

export default defineInstallation({
  version: 1,
  async seed(ctx) {
    await ctx.tx
      .insertInto('lead_stages')
      .values(stages.map((stage, n) => placed(ctx, stage, n)))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await ctx.tx
      .insertInto('lead_tags')
      .values(tags.map((tag, n) => placed(ctx, tag, n)))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },
})

/** Returns a row with tenant, sort order and timestamps. */
const placed = <R extends object>(ctx: Ctx, row: R, n: number) => ({
  ...row,
  ...{ tenant_id: ctx.tenant.id, sort_order: (n + 1) * 10, created_at: ctx.now, updated_at: ctx.now },
})
