import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { endOverdue } from '#workspace/billing-documents/public.ts'
import { estimates } from './estimates.ts'
import { expire } from './sending.ts'

/** Each day, what was valid until the day before expires. */
const expireOverdue = defineWorkspaceJob({
  name: 'estimates-expire',
  daily: { at: '00:05' },
  transactions: 'own',
  run: (steps) => endOverdue(steps, estimates, { lastDay: 'valid_until', states: ['sent'], end: expire }),
})

export default [expireOverdue]
