/** Initial stages of a workspace. */
import { defineInstallation } from '#kernel/modules/module.ts'

const stages = [
  { name: 'New', is_won: false, is_lost: false },
  { name: 'Qualified', is_won: false, is_lost: false },
  { name: 'Proposal', is_won: false, is_lost: false },
  { name: 'Negotiation', is_won: false, is_lost: false },
  { name: 'Won', is_won: true, is_lost: false },
  { name: 'Lost', is_won: false, is_lost: true },
]

export default defineInstallation({
  version: 1,
  async seed(ctx) {
    const stamps = { tenant_id: ctx.tenant.id, created_at: ctx.now, updated_at: ctx.now }
    await ctx.tx
      .insertInto('opportunity_stages')
      .values(stages.map((stage, n) => ({ ...stage, ...stamps, sort_order: 10 * (n + 1) })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },
})
