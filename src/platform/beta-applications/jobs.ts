import { z } from 'zod'
import { defineJob } from '#kernel/jobs/job.ts'
import { resendInvite } from './inviting.ts'

/** A job, so that the question takes as long for an unknown address as for an invited one. */
export const resend = defineJob({
  name: 'beta-applications-resend',
  data: z.object({ email: z.string() }),
  run: resendInvite,
})

export default [resend]
