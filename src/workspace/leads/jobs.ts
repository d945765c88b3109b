import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { importJob, sweepImports } from './imports/run.ts'
import { undoJob } from './imports/undo.ts'
import { retrieval, sweepAdDeliveries } from './social-ads/retrieval.ts'
import { sweepSignatures } from './webhooks/auth-strategy.ts'
import { sweepDeliveries } from './webhooks/deliveries.ts'

/** Daily job that deletes expired inbound logs, webhook signatures and abandoned imports. */
const sweep = defineWorkspaceJob({
  name: 'leads-sweep',
  daily: { at: '03:40' },
  async run(ctx) {
    await sweepDeliveries(ctx)
    await sweepSignatures(ctx)
    await sweepAdDeliveries(ctx)
    await sweepImports(ctx)
  },
})

export default [sweep, retrieval, importJob, undoJob]
