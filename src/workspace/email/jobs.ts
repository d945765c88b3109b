import { purgeAccount } from './accounts/accounts.ts'
import { sendDeferred } from './compose/deferred.ts'
import { dispatchWaiting, sendMessage, sendSlowly } from './compose/outbox.ts'
import { sweepMessageFiles } from './compose/stored-files.ts'
import { dispatchSyncs, syncMailbox, syncSlowly } from './sync/jobs.ts'
import { watchMailbox } from './watch.ts'

export default [
  dispatchSyncs,
  syncMailbox,
  syncSlowly,
  watchMailbox,
  sendMessage,
  sendSlowly,
  sendDeferred,
  dispatchWaiting,
  purgeAccount,
  sweepMessageFiles,
]
