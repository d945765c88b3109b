import { batchOfDigests, dailyDigests } from './digests/digests.ts'
import { pushJob } from './push/push.ts'
import { sweep } from './retention.ts'

export default [pushJob, dailyDigests, batchOfDigests, sweep]
