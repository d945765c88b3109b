import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { importJob, undoJob } from './run.ts'
import { sweepImports } from './sweeping.ts'

const sweep = defineWorkspaceJob({ name: 'imports-sweep', daily: { at: '03:55' }, run: sweepImports })

export default [importJob, undoJob, sweep]
