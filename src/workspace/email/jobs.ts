import { purgeAccount } from './accounts/purging.ts'
import { sendMessage } from './compose/sending.ts'
import { dispatchSyncs, syncMailbox } from './sync/jobs.ts'
import { watchMailbox } from './watching/jobs.ts'

export default [dispatchSyncs, syncMailbox, watchMailbox, sendMessage, purgeAccount]
