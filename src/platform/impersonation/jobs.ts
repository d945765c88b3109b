import { defineJob } from '#kernel/jobs/job.ts'
import { closeEnded } from './impersonation.ts'

/** Records ended sessions every minute, with their audit log entry. */
const close = defineJob({
  name: 'impersonation-close',
  schedule: '* * * * *',
  unique: 'both',
  run: (services, _, { signal }) => closeEnded(services, signal),
})

export default [close]
