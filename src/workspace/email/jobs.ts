import { purgeAccount } from './accounts/purging.ts'
import { sendMessage } from './compose/sending.ts'
import { dispatchSyncs, syncMailbox } from './sync/jobs.ts'

export default [dispatchSyncs, syncMailbox, sendMessage, purgeAccount]
