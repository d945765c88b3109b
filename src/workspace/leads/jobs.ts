import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { sweepAdDeliveries } from './social-ads/deliveries.ts'
import { retrieval } from './social-ads/retrieval.ts'
import { sweepDeliveries } from './webhooks/deliveries.ts'
import { sweepSignatures } from './webhooks/signatures.ts'

/** What the logs of ingress needn't hold any more. */
const sweep = defineWorkspaceJob({
  name: 'leads-sweep-ingress',
  daily: { at: '03:40' },
  async run(ctx) {
    await sweepDeliveries(ctx)
    await sweepSignatures(ctx)
    await sweepAdDeliveries(ctx)
  },
})

export default [sweep, retrieval]
