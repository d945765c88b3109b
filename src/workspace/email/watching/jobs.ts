import { z } from 'zod'
import type { WorkspaceJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { watch } from './watched.ts'

const Data = z.object({ account_id: z.int() })

/** Whichever process runs it watches the mailbox from then on: it works the queue. */
export const watchMailbox: WorkspaceJob<z.output<typeof Data>> = defineWorkspaceJob({
  name: 'email-watch',
  data: Data,
  unique: 'waiting',
  key: ({ account_id }) => account_id,
  transactions: 'own',
  run: (steps, { account_id }) => watch(steps, account_id),
})
