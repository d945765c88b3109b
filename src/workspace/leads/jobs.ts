import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { importJob } from './imports/running.ts'
import { sweepImports } from './imports/sweeping.ts'
import { sweepAdDeliveries } from './social-ads/deliveries.ts'
import { retrieval } from './social-ads/retrieval.ts'
import { sweepDeliveries } from './webhooks/deliveries.ts'
import { sweepSignatures } from './webhooks/signatures.ts'

/** What logs of ingress and forgotten imports needn't hold any more. */
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

export default [sweep, retrieval, importJob]
