import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { endOverdue } from '#workspace/billing-documents/public.ts'
import { contracts } from './contracts.ts'
import { expire } from './moving.ts'

/** Daily job that expires contracts that ended on the day before, signed or not. */
const expireOverdue = defineWorkspaceJob({
  name: 'contracts-expire',
  daily: { at: '00:05' },
  transactions: 'own',
  run: (steps) => endOverdue(steps, contracts, { lastDay: 'ends_on', states: ['sent', 'active'], end: expire }),
})

export default [expireOverdue]
