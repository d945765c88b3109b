import { defineJob } from '#kernel/jobs/job.ts'
import { forgetPlatformEvents } from './forgetting.ts'

const forget = defineJob({
  name: 'platform-events-forget',
  schedule: '41 * * * *',
  unique: 'both',
  run: (services, _, { signal }) => forgetPlatformEvents(services, signal),
})

export default [forget]
