import { defineJob } from '#kernel/jobs/job.ts'
import { closeEnded } from './impersonation.ts'

/** Every minute: sessions that ended by themselves get their end, and their entry in the audit log. */
const close = defineJob({
  name: 'impersonation-close',
  schedule: '* * * * *',
  unique: 'both',
  run: (services, _, { signal }) => closeEnded(services, signal),
})

export default [close]
