/** Deleting what is stored of a mailbox that was disconnected: in batches, each its own transaction. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'

const BATCH = 2000

export const purgeAccount = defineWorkspaceJob({
  name: 'email-purge-account',
  data: z.object({ account_id: z.int() }),
  transactions: 'own',
  always: true,
  async run(steps, { account_id }, { signal }) {
    while (!signal.aborted && (await steps.write((ctx) => deleteSome(ctx, account_id))));
    if (signal.aborted) throw new Error('The process stops; the rest is deleted at the next try.')
    await steps.write((ctx) => deleteAccount(ctx, account_id))
  },
})

/** Whether there may be more. */
async function deleteSome(ctx: Ctx, accountId: number) {
  const { numAffectedRows = 0n } = await sql`
    delete from email_messages where tenant_id = ${ctx.tenant.id} and id in (
      select id from email_messages where tenant_id = ${ctx.tenant.id} and account_id = ${accountId} limit ${BATCH})`.execute(
    ctx.tx,
  )
  return numAffectedRows > 0n
}

async function deleteAccount(ctx: Ctx, accountId: number) {
  await ctx.tx
    .updateTable('email_signatures')
    .set({ account_id: null })
    .where('tenant_id', '=', ctx.tenant.id)
    .where('account_id', '=', accountId)
    .execute()
  for (const table of ['email_labels', 'email_folders'] as const)
    await ctx.tx.deleteFrom(table).where('tenant_id', '=', ctx.tenant.id).where('account_id', '=', accountId).execute()
  await ctx.tx
    .deleteFrom('email_accounts')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', accountId)
    .where('removed_at', 'is not', null)
    .execute()
}
