import { onPlatform, originOf, systemOperator } from '#kernel/context.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { closeEnded } from './impersonation.ts'

/** Every minute: sessions that ended by themselves get their end, and their entry in the audit log. */
const close = defineJob({
  name: 'impersonation-close',
  schedule: '* * * * *',
  unique: 'both',
  async run(services) {
    while ((await onPlatform(originOf(services), systemOperator, 'write', closeEnded)) === 100);
  },
})

export default [close]
