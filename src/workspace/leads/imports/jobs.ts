import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { importJob } from './running.ts'
import { sweepImports } from './sweeping.ts'

const sweep = defineWorkspaceJob({ name: 'leads-import-sweep', schedule: '17 * * * *', run: sweepImports })

export default [importJob, sweep]
