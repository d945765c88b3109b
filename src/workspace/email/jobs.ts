import { purgeAccount } from './accounts/purging.ts'
import { dispatchWaiting, sendMessage, sendSlowly } from './compose/sending.ts'
import { dispatchSyncs, syncMailbox, syncSlowly } from './sync/jobs.ts'
import { watchMailbox } from './watching/jobs.ts'

export default [dispatchSyncs, syncMailbox, syncSlowly, watchMailbox, sendMessage, sendSlowly, dispatchWaiting, purgeAccount]
