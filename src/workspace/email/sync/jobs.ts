/** Schedules synchronisations: when a mailbox's interval has elapsed (EML-05), and on request (EML-06). */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { type BaseCtx, type Ctx, inPublic, originOf, type Services, type WorkspaceSteps } from '#kernel/context.ts'
import { defineJob, type WorkspaceJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { takeAcross, type Within } from '#kernel/tenancy/across.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { Budget, BudgetExhausted, TASKS } from '../connections/budget.ts'
import { serverOf } from '../connections/credentials.ts'
import { MailServerError, unlessRefused } from '../connections/failures.ts'
import { type Connection, connected } from '../connections/mailbox.ts'
import { dropFolders, matchFolders, type Remote } from './folder-list.ts'
import {
  acquireLease,
  type Ending,
  endTurn,
  isForgotten,
  type Lane,
  type Lease,
  LeaseLost,
  mayBeForgotten,
  minutesAfter,
} from './lease.ts'
import { fetchNew } from './new-messages.ts'
import { pushChanges } from './push.ts'
import { checkFolder, markAllMissing } from './reconciliation.ts'

// Synchronises a mailbox with its server in this order: local changes are pushed; missing messages of each folder are determined;
// new messages are fetched, which may include missing ones; messages still missing are deleted.

/** Interval at which the lease is renewed, in milliseconds. */
const RENEW_EVERY = 20_000
/** Minimum messages of a slow run. A server that delivers fewer is too slow to continue at once. */
const ENOUGH = 500

/**
 * Runs one synchronisation under a lease. Returns the tier of the mailbox, if it is another one, and the workspace's next waiting
 * mailbox. If the server fails, the error is stored with the account and it is retried later. A synchronisation that takes too
 * long continues after others, where it stopped.
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
  // A slow server may take longer between two commits than the lease lasts.
  const renewal = setInterval(() => turn.commit(async () => {}).catch(() => {}), RENEW_EVERY)
  try {
    const server = serverOf(steps.services, turn.account, 'imap')
    const budget = new Budget(lane === 'fast' ? TASKS.fastSync : TASKS.slowSync)
    const refused = await connected(steps.services, server, budget, (connection) => bringUpToDate(turn, connection, signal))
    const slow = performance.now() - began > TASKS.fastSync.seconds * 1000
    return { next: await endTurn(turn, { state: 'done', slow, error: refusalOf(refused) }) }
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

/** Maximum folders named in the error of a server that opens none of them. */
const MAX_NAMED = 5

function refusalOf(folders: string[]): string | null {
  if (!folders.length) return null
  const more = folders.length > MAX_NAMED ? ` and ${folders.length - MAX_NAMED} more` : ''
  const what = folders.length === 1 ? 'the folder' : 'the folders'
  return `The IMAP server does not open ${what} ${folders.slice(0, MAX_NAMED).join(', ')}${more}. Everything else is up to date.`
}

/** Returns the folders that the server refuses to open: they stay unchanged here, and the next synchronisation retries them. */
async function bringUpToDate(turn: Lease, connection: Connection, signal: AbortSignal): Promise<string[]> {
  await pushChanges(turn, connection)
  const listed = await connection.mailbox.folders()
  const { there, gone } = await turn.commit((ctx) => matchFolders(ctx, turn.account.id, listed))
  for (const folder of gone) await markAllMissing(turn, folder)
  const growing: Remote[] = []
  const refused: string[] = []
  const readable = <T>(work: Promise<T>) => unlessRefused(work, ({ folder }) => refused.push(folder))
  for (const remote of there) {
    signal.throwIfAborted()
    if (await readable(checkFolder(turn, connection.mailbox, remote))) growing.push(remote)
  }
  for (const remote of growing) await readable(fetchNew(turn, connection, remote, signal))
  for (let removed = MAX_REMOVED; removed === MAX_REMOVED; ) {
    removed = await turn.commit((ctx) => deleteMissing(ctx, turn.account.id))
    turn.isChanged ||= removed > 0
  }
  await turn.commit((ctx) => dropFolders(ctx, gone))
  return refused
}

const MAX_REMOVED = 1000

/** Returns how many were deleted, up to the limit of one statement. */
async function deleteMissing(ctx: Ctx, accountId: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from email_messages where tenant_id = ${ctx.tenant.id} and id in (
      select id from email_messages where tenant_id = ${ctx.tenant.id} and account_id = ${accountId} and is_missing and not (status = 'draft' and append_pending) limit ${MAX_REMOVED})`.execute(
    ctx.tx,
  )
  return Number(numAffectedRows)
}

const Data = z.object({ account_id: z.int() })

/**
 * At most one job per mailbox waits. Whether one runs is decided by leases, which expire sooner after a killed worker than its
 * job in the queue.
 */
const syncJob = (name: string, lane: Lane): WorkspaceJob<z.output<typeof Data>> =>
  defineWorkspaceJob({
    name,
    data: Data,
    unique: 'waiting',
    key: ({ account_id }) => account_id,
    concurrency: 6,
    expireSeconds: 900,
    transactions: 'own',
    async run(steps, { account_id }, { signal }) {
      const { lane: other, next } = await synchronise(steps, account_id, lane, signal)
      if (other) await steps.write((ctx) => requestSync(ctx, account_id, other))
      if (next) await steps.write((ctx) => requestSync(ctx, next, lane))
    },
  })
export const syncMailbox = syncJob('email-sync', 'fast')
export const syncSlowly = syncJob('email-sync-slow', 'slow')

const jobOf = (lane: Lane) => (lane === 'fast' ? syncMailbox : syncSlowly)

/** Queues a synchronisation, whatever the interval. A job in the wrong tier moves to the right one. */
export const requestSync = (ctx: Ctx, account_id: number, lane: Lane = 'fast') =>
  ctx.services.queue.send(ctx, jobOf(lane), { account_id })

const MAX_DISPATCHED = 500
/** Half the interval between two runs, in seconds: otherwise a mailbox due shortly after a run would be a whole minute late. */
const NEAREST = 30

/** Job that, every minute, queues mailboxes whose interval has elapsed, at the nearest run, and those whose worker is gone. */
export const dispatchSyncs = defineJob({
  name: 'email-dispatch',
  schedule: '* * * * *',
  async run(services) {
    await dispatchSome(services, isForgotten('a'), mayBeForgotten('a'))
    const due = sql<SqlBool>`a.next_sync_at <= ${plusSeconds(services.clock.now(), NEAREST)}`
    while ((await dispatchSome(services, due)) === MAX_DISPATCHED);
  },
})

async function dispatchSome(services: Services, which: RawBuilder<SqlBool>, roughly = which): Promise<number> {
  return inPublic(originOf(services), 'write', async (ctx) => {
    const rows = await takeDue(ctx, which, roughly)
    for (const lane of ['fast', 'slow'] as const) {
      const some = rows.filter(({ sync_slow }) => sync_slow === (lane === 'slow'))
      await services.queue.sendAll(
        ctx,
        jobOf(lane),
        some.map(({ tenant_id, id }) => ({ tenantId: tenant_id, data: { account_id: id } })),
      )
    }
    return rows.length
  })
}

/** Claims due mailboxes and stores their next due time. `roughly` is true for all of them and only reads the row itself. */
function takeDue(ctx: BaseCtx, which: RawBuilder<SqlBool>, roughly: RawBuilder<SqlBool>) {
  const due = (which: RawBuilder<SqlBool>, within: Within) => sql<{ tenant_id: number }>`
    select a.tenant_id, a.id from email_accounts a join users u on u.tenant_id = a.tenant_id and u.id = a.user_id
    where a.removed_at is null and ${which} and ${within('a')} and u.deleted_at is null and u.suspended_at is null
    order by a.next_sync_at limit ${MAX_DISPATCHED}`
  return takeAcross(
    ctx,
    async (within) => (await due(roughly, within).execute(ctx.tx)).rows,
    async (within) => {
      const { rows } = await sql<{ tenant_id: number; id: number; sync_slow: boolean }>`
        with due as (${due(which, within)} for update of a skip locked)
        update email_accounts a set next_sync_at = greatest(a.next_sync_at, ${minutesAfter(ctx.now, sql`a.sync_interval_minutes`)})
        from due where a.tenant_id = due.tenant_id and a.id = due.id and ${within('a')} returning a.tenant_id, a.id, a.sync_slow`.execute(
        ctx.tx,
      )
      return rows
    },
  )
}
