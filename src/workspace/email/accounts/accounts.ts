/**
 * Mailboxes that users connect: tested, saved, disconnected and then purged. Only their own user can see them. Exactly one of a
 * user's accounts is the default.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx, Services, WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { allowsInternal, isInternalName } from '../connections/addresses.ts'
import { type Server, sealPassword } from '../connections/credentials.ts'
import { MailServerError, type Side } from '../connections/failures.ts'
import { openMailbox } from '../connections/mailbox.ts'
import { type Owner, waitForSlot } from '../connections/slots.ts'
import { openSubmission } from '../connections/submission.ts'
import { makeLocalFolders } from '../folders.ts'
import { requestSync } from '../sync/jobs.ts'
import { unwatch } from '../watch.ts'
import { Account, type ConnectionTest, type CreateAccount, isMine } from './schema.ts'

// Job that deletes the stored data of a disconnected mailbox, in batches that each have their own transaction.

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

/** Deletes one batch and returns whether there may be more. */
async function deleteSome(ctx: Ctx, accountId: number) {
  const { numAffectedRows = 0n } = await sql`
    delete from email_messages where tenant_id = ${ctx.tenant.id} and id in (
      select id from email_messages where tenant_id = ${ctx.tenant.id} and account_id = ${accountId} limit ${BATCH})`.execute(
    ctx.tx,
  )
  return numAffectedRows > 0n
}

async function deleteAccount(ctx: Ctx, accountId: number) {
  await ctx.update('email_signatures').set({ account_id: null }).where('account_id', '=', accountId).execute()
  for (const table of ['email_labels', 'email_folders'] as const)
    await ctx
      .deleteFrom(table as 'email_labels')
      .where('account_id', '=', accountId)
      .execute()
  await ctx.deleteFrom('email_accounts').where('id', '=', accountId).where('removed_at', 'is not', null).execute()
}

type Body = z.output<typeof CreateAccount>
type AccountRow = Row<'email_accounts'>

export const accounts = lookupTable({
  table: 'email_accounts',
  noun: 'account',
  item: Account,
  title: 'email_address',
  key: 'uuid',
  scope: isMine,
})

export const accountList = listing(accounts, {
  order: { by: ['created_at'] },
  hardDeleted: true,
})

/**
 * Stores an account; a user's first one becomes the default. Saving doesn't connect: the first synchronisation is queued as a
 * background job.
 */
export async function createAccount(ctx: Ctx, body: Body): Promise<AccountRow> {
  refuseInternal(ctx.services, body)
  const before = await lockDefault(ctx)
  const is_default = body.is_default || !before
  if (is_default && before) await accounts.save(ctx, before, { is_default: false })
  const account = await accounts.insert(ctx, {
    ...sealed(ctx.services, body),
    is_default,
    user_id: ctx.actor.id!,
    next_sync_at: plusSeconds(ctx.now, body.sync_interval_minutes * 60),
  } as Partial<AccountRow>)
  await makeLocalFolders(ctx, account)
  await requestSync(ctx, account.id)
  return account
}

/**
 * Changes an account. A password that isn't sent keeps its value (EML-10), but only for its own server: 422 on it if the host
 * changes. Changes that concern the mailbox queue a synchronisation in the background.
 */
export async function updateAccount(ctx: Ctx, account: AccountRow, body: Partial<Body>) {
  refuseInternal(ctx.services, body)
  refuseExposure(account, body)
  if (body.is_default === false && account.is_default) throw invalid({ is_default: 'Make another account the default instead.' })
  if (body.is_default) await makeDefault(ctx, account)
  const { is_default: _, ...changes } = body
  await accounts.save(ctx, account, sealed(ctx.services, changes) as Partial<AccountRow>)
  const fields = Object.keys(changes)
  if (fields.some((field) => field.startsWith('imap_'))) unwatch(ctx, account.id)
  if (fields.some((field) => field.startsWith('imap_') || field === 'sync_interval_minutes')) await requestSync(ctx, account.id)
}

/** Makes an account the user's default (EML-08). */
export async function makeDefault(ctx: Ctx, account: AccountRow) {
  const before = await lockDefault(ctx)
  if (before?.id === account.id) return
  if (before) await accounts.save(ctx, before, { is_default: false })
  await accounts.save(ctx, account, { is_default: true })
}

/**
 * Disconnects an account. It disappears for its user at once; its stored data is deleted in the background (EML-09). The oldest
 * remaining account becomes the default.
 */
export async function removeAccount(ctx: Ctx, account: AccountRow) {
  await lockDefault(ctx)
  await accounts.save(ctx, account, { removed_at: ctx.now, is_default: false })
  unwatch(ctx, account.id)
  if (account.is_default) {
    const next = await mine(ctx).orderBy('created_at').orderBy('id').forUpdate().executeTakeFirst()
    if (next) await accounts.save(ctx, next, { is_default: true })
  }
  await ctx.services.queue.send(ctx, purgeAccount, { account_id: account.id })
}

const mine = (ctx: Ctx) =>
  ctx.from('email_accounts').selectAll().where('user_id', '=', ctx.actor.id).where('removed_at', 'is', null)

/**
 * Returns the actor's default account. An advisory lock serialises transactions of the same user, so that the next one sees what
 * this one chose.
 */
async function lockDefault(ctx: Ctx) {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`default mailbox ${ctx.actor.id}`}, ${ctx.tenant.id}))`.execute(
    ctx.tx,
  )
  return mine(ctx).where('is_default', '=', true).forUpdate().executeTakeFirst()
}

/** Rejects hosts whose names are internal in themselves. The addresses that a name resolves to are checked at each connection. */
function refuseInternal(services: Services, { imap_host, smtp_host }: Partial<Body>) {
  if (allowsInternal(services)) return
  const wrong = Object.entries({ imap_host, smtp_host }).filter(([, host]) => host && isInternalName(host))
  if (wrong.length)
    throw invalid(Object.fromEntries(wrong.map(([field]) => [field, 'Servers in internal networks are not connected to.'])))
}

/**
 * Rejects changes that could disclose a stored password. A session or key of the user doesn't imply knowledge of the password. So
 * it is only sent to its own server, with no less encryption than before.
 */
function refuseExposure(account: AccountRow, body: Partial<Body>) {
  const changed = { ...account, ...body }
  const isExposed = (side: Side) =>
    changed[`${side}_host`] !== account[`${side}_host`] ||
    (changed[`${side}_encryption`] === 'none' && account[`${side}_encryption`] !== 'none')
  const wrong = (['imap', 'smtp'] as const).filter((side) => body[`${side}_password`] === undefined && isExposed(side))
  if (wrong.length)
    throw invalid(
      Object.fromEntries(
        wrong.map((side) => [
          `${side}_password`,
          'Enter the password again, because it would go to another server, or there unencrypted.',
        ]),
      ),
    )
}

function sealed(services: Services, { imap_password, smtp_password, ...body }: Partial<Body>) {
  return {
    ...body,
    ...(imap_password === undefined ? {} : { imap_password: sealPassword(services, imap_password) }),
    ...(smtp_password === undefined ? {} : { smtp_password: sealPassword(services, smtp_password) }),
  }
}

/** Tests an account's settings before they are saved (EML-07): 422 on the field that caused the failure. */
export async function testConnection(
  { services, tenant, actor }: WorkspaceSteps,
  body: Body,
): Promise<z.input<typeof ConnectionTest>> {
  refuseInternal(services, body)
  const owner = { tenantId: tenant.id, userId: actor.id! }
  const tried = await Promise.allSettled([
    openMailbox(services, serverIn(body, 'imap', owner)).then((mailbox) => mailbox.close()),
    waitForSlot(services, owner).then((leave) =>
      openSubmission(services, serverIn(body, 'smtp', owner))
        .then((submission) => submission.close())
        .finally(leave),
    ),
  ])
  const wrong: Record<string, string> = {}
  for (const one of tried) {
    if (one.status === 'fulfilled') continue
    if (!(one.reason instanceof MailServerError)) throw one.reason
    wrong[one.reason.field] = one.reason.message
  }
  if (Object.keys(wrong).length) throw invalid(wrong)
  return { imap: { ok: true }, smtp: { ok: true } }
}

const serverIn = (body: Body, side: Side, owner: Owner): Server => ({
  side,
  owner,
  host: body[`${side}_host`],
  port: body[`${side}_port`],
  encryption: body[`${side}_encryption`],
  username: body[`${side}_username`],
  password: body[`${side}_password`],
})
