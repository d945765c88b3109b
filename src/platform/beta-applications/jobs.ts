import { z } from 'zod'
import { defineJob } from '#kernel/jobs/job.ts'
import { resendInvite } from './inviting.ts'

/** Runs as a job, so that the response time doesn't reveal whether an address is invited. */
export const resend = defineJob({
  name: 'beta-applications-resend',
  data: z.object({ email: z.string() }),
  run: resendInvite,
})

export default [resend]
