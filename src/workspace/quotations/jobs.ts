import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { endOverdue } from '#workspace/billing-documents/public.ts'
import { expire } from './answering.ts'
import { quotations } from './quotations.ts'

/** Each day, what was valid until the day before expires. */
const expireOverdue = defineWorkspaceJob({
  name: 'quotations-expire',
  daily: { at: '00:05' },
  transactions: 'own',
  run: (steps) => endOverdue(steps, quotations, { lastDay: 'valid_until', states: ['sent'], end: expire }),
})

export default [expireOverdue]
