import { bulkJob, sweepBatches } from '#kernel/http/bulk.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'

const sweep = defineWorkspaceJob({ name: 'bulk-sweep', daily: { at: '03:50' }, transactions: 'own', run: sweepBatches })

export default [bulkJob, sweep]
