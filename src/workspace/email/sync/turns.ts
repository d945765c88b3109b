/**
 * Whose turn it is to synchronise a mailbox: one worker's at a time, in any number of processes. A turn is leased for a minute and renewed
 * meanwhile; a worker that lost its turn, because it stood still for longer, can commit nothing any more.
 */
import { sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import type { Row } from '#kernel/records/resource.ts'

const LEASE = sql<string>`clock_timestamp() + interval '60 seconds'`

/** Another worker goes on, or the account was disconnected. */
export class TurnLost extends Error {}

export interface Turn {
  account: Row<'email_accounts'>
  steps: WorkspaceSteps
  /** A transaction that counts only while the turn is ours. */
  commit<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
}

/** Undefined while another worker has it: that one begins again when it has ended. */
export async function takeTurn(steps: WorkspaceSteps, accountId: number): Promise<Turn | undefined> {
  const account = await steps.write(async (ctx) => {
    const taken = await accountIn(ctx, accountId)
      .where((eb) => eb.or([eb('sync_leased_until', 'is', null), eb('sync_leased_until', '<', sql<string>`clock_timestamp()`)]))
      .set((eb) => ({ sync_turn: eb('sync_turn', '+', 1), sync_leased_until: LEASE, sync_again: false }))
      .returningAll()
      .executeTakeFirst()
    if (!taken) await accountIn(ctx, accountId).set({ sync_again: true }).execute()
    return taken
  })
  if (!account) return undefined
  return {
    account,
    steps,
    commit: (work) =>
      steps.write(async (ctx) => {
        const held = await accountIn(ctx, account.id)
          .where('sync_turn', '=', account.sync_turn)
          .set({ sync_leased_until: LEASE })
          .executeTakeFirstOrThrow()
        if (!held.numUpdatedRows) throw new TurnLost()
        return work(ctx)
      }),
  }
}

/** Gives the turn back. Whether somebody asked for another one meanwhile. */
export async function endTurn(
  { steps, account }: Turn,
  ending: { last_synced_at?: string; last_error?: string | null },
): Promise<boolean> {
  return steps.write(async (ctx) => {
    const before = await ctx.tx
      .selectFrom('email_accounts')
      .select('sync_again')
      .where('tenant_id', '=', ctx.tenant.id)
      .where('id', '=', account.id)
      .where('sync_turn', '=', account.sync_turn)
      .forUpdate()
      .executeTakeFirst()
    if (!before) return false
    await accountIn(ctx, account.id)
      .set({ ...ending, sync_leased_until: null, sync_again: false })
      .execute()
    return before.sync_again
  })
}

const accountIn = (ctx: Ctx, id: number) =>
  ctx.tx.updateTable('email_accounts').where('tenant_id', '=', ctx.tenant.id).where('id', '=', id).where('removed_at', 'is', null)
