/**
 * A mailbox is made equal to its server, in this order: what was changed here is pushed; what is missing from each folder is found out;
 * then new messages are fetched, among which the missing ones may be; what is still missing then is gone.
 */
import { sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { serverOf } from '../connections/credentials.ts'
import { MailServerError } from '../connections/failures.ts'
import { type Connection, connected } from '../connections/mailbox.ts'
import { fetchNew } from './arriving.ts'
import { checkFolder, markAllMissing } from './checking.ts'
import { dropFolders, matchFolders, type Remote } from './folder-list.ts'
import { pushChanges } from './pushing.ts'
import { endTurn, type Turn, TurnLost, takeTurn } from './turns.ts'

/** In milliseconds. */
const RENEW_EVERY = 20_000

/** Whether it is wanted again at once. A server that fails is told on the account; the next interval tries again. */
export async function synchronise(steps: WorkspaceSteps, accountId: number, signal: AbortSignal): Promise<boolean> {
  const turn = await takeTurn(steps, accountId)
  if (!turn) return false
  // A slow server may keep us longer between two commits than a turn lasts.
  const renewal = setInterval(() => turn.commit(async () => {}).catch(() => {}), RENEW_EVERY)
  try {
    const server = serverOf(steps.services, turn.account, 'imap')
    await connected(steps.services, server, (connection) => bringUpToDate(turn, connection, signal))
    return await endTurn(turn, { last_synced_at: steps.services.clock.now(), last_error: null })
  } catch (error) {
    if (error instanceof TurnLost) return false
    if (error instanceof MailServerError) return endTurn(turn, { last_error: error.message })
    await endTurn(turn, signal.aborted ? {} : { last_error: 'The synchronisation failed. It is tried again.' })
    throw error
  } finally {
    clearInterval(renewal)
  }
}

async function bringUpToDate(turn: Turn, connection: Connection, signal: AbortSignal) {
  await pushChanges(turn, connection)
  const listed = await connection.mailbox.folders()
  const { there, gone } = await turn.commit((ctx) => matchFolders(ctx, turn.account.id, listed))
  for (const folder of gone) await markAllMissing(turn, folder)
  const growing: Remote[] = []
  for (const remote of there) {
    signal.throwIfAborted()
    if (await checkFolder(turn, connection.mailbox, remote)) growing.push(remote)
  }
  for (const remote of growing) await fetchNew(turn, connection, remote, signal)
  while (await turn.commit((ctx) => deleteMissing(ctx, turn.account.id)));
  await turn.commit((ctx) => dropFolders(ctx, gone))
}

const BATCH = 1000

/** Whether there may be more. */
async function deleteMissing(ctx: Ctx, accountId: number) {
  const { numAffectedRows = 0n } = await sql`
    delete from email_messages where tenant_id = ${ctx.tenant.id} and id in (
      select id from email_messages where tenant_id = ${ctx.tenant.id} and account_id = ${accountId} and is_missing limit ${BATCH})`.execute(
    ctx.tx,
  )
  return Number(numAffectedRows) === BATCH
}
