/** Initial reasons of a workspace: a few for each kind, and Other, which can't be removed (ATT-07). */
import { defineInstallation } from '#kernel/modules/module.ts'

const reasons = {
  check_in_late: ['Traffic', 'Public transport', 'Medical appointment', 'Family'],
  check_out: ['End of the working day', 'Medical appointment', 'Work elsewhere'],
} as const

export default defineInstallation({
  version: 1,
  async seed(ctx) {
    const rows = (['check_in_late', 'check_out'] as const).flatMap((kind) => [
      ...reasons[kind].map((name, n) => ({ kind, name, is_other: false, sort_order: (n + 1) * 10 })),
      { kind, name: 'Other', is_other: true, sort_order: 1000 },
    ])
    await ctx.tx
      .insertInto('attendance_reasons')
      .values(rows.map((row) => ({ ...row, tenant_id: ctx.tenant.id, created_at: ctx.now, updated_at: ctx.now })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  },
})
