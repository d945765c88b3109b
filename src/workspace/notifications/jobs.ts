import { batchOfDigests, dailyDigests } from './digests/sending.ts'
import { pushJob } from './push/sending.ts'
import { sweep } from './retention.ts'

export default [pushJob, dailyDigests, batchOfDigests, sweep]
