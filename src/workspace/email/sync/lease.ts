/**
 * Leases for synchronising mailboxes: one worker per mailbox over any number of processes, and one mailbox per workspace at a
 * time in each of two queue tiers. Mailboxes with fast servers use the fast tier. New ones, and those whose servers were slow or
 * failed, use the slow tier and wait for each other. A lease lasts a minute and is renewed meanwhile. A worker that lost its
 * lease, because it was suspended for longer, can't commit any more.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import type { Row } from '#kernel/records/resource.ts'
import { tellChange } from '../events.ts'

const LEASE = sql<string>`statement_timestamp() + interval '60 seconds'`

/**
 * Maximum pause between two tries of a failing server, in minutes: it doubles from one minute, once that exceeds the mailbox's
 * interval.
 */
const MAX_PAUSE = 6 * 60

/** Queue tier of an account's jobs. */
export type Lane = 'fast' | 'slow'
/**
 * Returns an instant plus minutes, which may be a column. Added in UTC, because a cluster rejects updates by a sum in the
 * session's time zone.
 */
export const minutesAfter = (instant: string, minutes: RawBuilder<unknown>) =>
  sql<string>`((${instant}::timestamptz at time zone 'UTC' + ${minutes} * interval '1 minute') at time zone 'UTC')`

const laneOf = ({ sync_slow }: { sync_slow: boolean }): Lane => (sync_slow ? 'slow' : 'fast')

/** Another worker has the lease, or the account was disconnected. */
export class LeaseLost extends Error {}

/** Exclusive right to synchronise a mailbox. */
export interface Lease {
  account: Row<'email_accounts'>
  steps: WorkspaceSteps
  /** Messages stored under this lease. */
  stored: number
  /** Whether messages arrived, changed or were removed. */
  isChanged: boolean
  /** Runs a transaction that only commits while the lease is held. */
  commit<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
}

/** How a lease ended. `unfinished` took too long. */
export type Ending =
  /** `error`: what could not be read, though everything else was. */
  | { state: 'done'; slow: boolean; error: string | null }
  /** Continues at once. */
  | { state: 'unfinished' }
  | { state: 'failed'; error: string }
  /** The process stops. */
  | { state: 'aborted' }

/**
 * Acquires the lease. Returns the other tier if the mailbox belongs there. Returns `busy` while another mailbox of the workspace
 * has the tier; this one is then stored as waiting.
 */
export async function acquireLease(steps: WorkspaceSteps, accountId: number, lane: Lane): Promise<Lease | Lane | 'busy'> {
  const found = await steps.write(async (ctx) => {
    await lockTurns(ctx)
    const { rows } = await sql<{ sync_slow: boolean; is_free: boolean }>`
      select a.sync_slow, not exists (
        select from email_accounts o where o.tenant_id = a.tenant_id and (o.id = a.id or o.sync_slow = a.sync_slow)
          and o.sync_leased_until > statement_timestamp()) as is_free
      from email_accounts a where a.tenant_id = ${ctx.tenant.id} and a.id = ${accountId} and a.removed_at is null`.execute(ctx.tx)
    const [state] = rows
    if (!state) return 'busy'
    if (laneOf(state) !== lane) return laneOf(state)
    if (state.is_free)
      return accountIn(ctx, accountId)
        .set((eb) => ({ sync_turn: eb('sync_turn', '+', 1), sync_leased_until: LEASE, sync_wanted_at: null }))
        .returningAll()
        .executeTakeFirstOrThrow()
    await accountIn(ctx, accountId).set({ sync_wanted_at: sql<string>`least(sync_wanted_at, statement_timestamp())` }).execute()
    return 'busy'
  })
  if (typeof found === 'string') return found
  return {
    account: found,
    steps,
    stored: 0,
    isChanged: false,
    commit: (work) =>
      steps.write(async (ctx) => {
        const held = await accountIn(ctx, found.id)
          .where('sync_turn', '=', found.sync_turn)
          .set({ sync_leased_until: LEASE })
          .executeTakeFirstOrThrow()
        if (!held.numUpdatedRows) throw new LeaseLost()
        return work(ctx)
      }),
  }
}

/**
 * Lock under which a tier is taken and released: a mailbox is noted as waiting before the release, or takes the tier after it, so
 * none waits unnoticed.
 */
const lockTurns = (ctx: Ctx) =>
  sql`select pg_advisory_xact_lock(hashtextextended('turns of mailboxes', ${ctx.tenant.id}))`.execute(ctx.tx)

/** Releases the lease. Returns the mailbox that has waited longest for the tier, possibly this one. */
export async function endTurn({ steps, account, isChanged }: Lease, ending: Ending): Promise<number | undefined> {
  return steps.write(async (ctx) => {
    await lockTurns(ctx)
    const ended = await accountIn(ctx, account.id)
      .where('sync_turn', '=', account.sync_turn)
      .set({ ...outcomeOf(ctx, ending), sync_leased_until: null })
      .executeTakeFirst()
    if (!ended.numUpdatedRows) return undefined
    if (isChanged) await tellChange(ctx, account.id)
    const { rows } = await sql<{ id: number }>`
      select id from email_accounts where tenant_id = ${ctx.tenant.id} and removed_at is null and sync_wanted_at is not null
        and (sync_slow = ${account.sync_slow} or id = ${account.id}) order by sync_wanted_at limit 1`.execute(ctx.tx)
    return rows[0]?.id
  })
}

function outcomeOf(ctx: Ctx, ending: Ending) {
  if (ending.state === 'done')
    return { last_synced_at: ctx.now, last_error: ending.error, sync_slow: ending.slow, sync_failures: 0 }
  if (ending.state === 'unfinished')
    return { sync_slow: true, sync_wanted_at: sql<string>`least(sync_wanted_at, statement_timestamp())` }
  if (ending.state === 'aborted') return {}
  const pause = sql`least(2 ^ least(sync_failures, 16), ${MAX_PAUSE})`
  return {
    last_error: ending.error,
    sync_slow: true,
    sync_failures: sql<number>`sync_failures + 1`,
    next_sync_at: sql<string>`case when ${pause} > sync_interval_minutes
      then greatest(next_sync_at, ${minutesAfter(ctx.now, pause)}) else next_sync_at end`,
  }
}

/** Whether an account waits for a tier that no worker holds, because its worker was killed. */
export const isForgotten = (account: string) => {
  const a = (column: string) => sql.ref(`${account}.${column}`)
  return sql<SqlBool>`(${a('sync_leased_until')} < statement_timestamp() or ${a('sync_wanted_at')} is not null and not exists (
    select from email_accounts o where o.tenant_id = ${a('tenant_id')} and o.sync_slow = ${a('sync_slow')} and o.sync_leased_until > statement_timestamp()))`
}

/**
 * True for more accounts than `isForgotten`, from their own row only. For queries over all workspaces of a cluster: a subquery
 * per row over several machines crashes its server.
 */
export const mayBeForgotten = (account: string) => {
  const a = (column: string) => sql.ref(`${account}.${column}`)
  return sql<SqlBool>`(${a('sync_leased_until')} < statement_timestamp() or ${a('sync_wanted_at')} is not null)`
}

const accountIn = (ctx: Ctx, id: number) => ctx.update('email_accounts').where('id', '=', id).where('removed_at', 'is', null)
