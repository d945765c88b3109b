/**
 * A mailbox is made equal to its server, in this order: what was changed here is pushed; what is missing from each folder is found out;
 * then new messages are fetched, among which the missing ones may be; what is still missing then is gone.
 */
import { sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { Budget, BudgetExhausted, TASKS } from '../connections/budget.ts'
import { serverOf } from '../connections/credentials.ts'
import { MailServerError } from '../connections/failures.ts'
import { type Connection, connected } from '../connections/mailbox.ts'
import { fetchNew } from './arriving.ts'
import { checkFolder, markAllMissing } from './checking.ts'
import { dropFolders, matchFolders, type Remote } from './folder-list.ts'
import { acquireLease, type Ending, endTurn, type Lane, type Lease, LeaseLost } from './lease.ts'
import { pushChanges } from './pushing.ts'

/** In milliseconds. */
const RENEW_EVERY = 20_000
/** Messages in the time of a slow turn. A server that gives fewer is too slow to be gone on with at once. */
const ENOUGH = 500

/**
 * One turn of a mailbox: the lane that it belongs in, if that is another one, and the mailbox of the workspace that is to be synchronised next, if one waits. A server
 * that fails is told on the account, and tried again later; what takes longer than a turn goes on, behind others, where it stopped.
 */
export async function synchronise(
  steps: WorkspaceSteps,
  accountId: number,
  lane: Lane,
  signal: AbortSignal,
): Promise<{ lane?: Lane; next?: number }> {
  const turn = await acquireLease(steps, accountId, lane)
  if (turn === 'busy') return {}
  if (typeof turn === 'string') return { lane: turn }
  const began = performance.now()
  // A slow server may keep us longer between two commits than a turn lasts.
  const renewal = setInterval(() => turn.commit(async () => {}).catch(() => {}), RENEW_EVERY)
  try {
    const server = serverOf(steps.services, turn.account, 'imap')
    const budget = new Budget(lane === 'fast' ? TASKS.fastSync : TASKS.slowSync)
    await connected(steps.services, server, budget, (connection) => bringUpToDate(turn, connection, signal))
    const slow = performance.now() - began > TASKS.fastSync.seconds * 1000
    return { next: await endTurn(turn, { state: 'done', slow }) }
  } catch (error) {
    if (error instanceof LeaseLost) return {}
    const next = await endTurn(turn, endingOf(turn, lane, signal, error))
    if (error instanceof MailServerError) return { next }
    throw error
  } finally {
    clearInterval(renewal)
  }
}

function endingOf(turn: Lease, lane: Lane, signal: AbortSignal, error: unknown): Ending {
  if (error instanceof BudgetExhausted && (lane === 'fast' || turn.stored >= ENOUGH)) return { state: 'unfinished' }
  if (error instanceof MailServerError) return { state: 'failed', error: error.message }
  return signal.aborted ? { state: 'aborted' } : { state: 'failed', error: 'The synchronisation failed. It is tried again.' }
}

async function bringUpToDate(turn: Lease, connection: Connection, signal: AbortSignal) {
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
