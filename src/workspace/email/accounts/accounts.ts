/** Mailboxes that users connect. Each is its user's alone; of a user's accounts exactly one is the default. */
import { type SqlBool, sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx, Services } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { allowsInternal, isInternalName } from '../connections/addresses.ts'
import { sealPassword } from '../connections/credentials.ts'
import { makeLocalFolders } from '../folders/local-folders.ts'
import { requestSync } from '../sync/jobs.ts'
import { unwatch } from '../watching/looking.ts'
import { purgeAccount } from './purging.ts'
import { Account, type CreateAccount } from './schema.ts'

type Body = z.output<typeof CreateAccount>
export type AccountRow = Row<'email_accounts'>

export const accounts = lookupTable({
  table: 'email_accounts',
  noun: 'account',
  item: Account,
  title: 'email_address',
  key: 'uuid',
  scope: (ctx) => sql<SqlBool>`email_accounts.user_id = ${ctx.actor.id} and email_accounts.removed_at is null`,
})

export const accountList = listing(accounts, {
  order: { by: ['created_at'] },
  hardDeleted: true,
})

/** The first account of a user becomes the default. It is synchronised at once, in the background; saving doesn't connect. */
export async function createAccount(ctx: Ctx, body: Body): Promise<AccountRow> {
  refuseInternal(ctx.services, body)
  const before = await lockDefault(ctx)
  const is_default = body.is_default || !before
  if (is_default && before) await accounts.save(ctx, before, { is_default: false })
  const account = await accounts.insert(ctx, {
    ...sealed(ctx.services, body),
    is_default,
    user_id: ctx.actor.id!,
    next_sync_at: ctx.now,
  } as Partial<AccountRow>)
  await makeLocalFolders(ctx, account)
  await requestSync(ctx, account.id)
  return account
}

/** A password that isn't sent stays as it is (EML-10). What concerns the mailbox is tried at once, in the background. */
export async function updateAccount(ctx: Ctx, account: AccountRow, body: Partial<Body>) {
  refuseInternal(ctx.services, body)
  if (body.is_default === false && account.is_default) throw invalid({ is_default: 'Make another account the default instead.' })
  if (body.is_default) await makeDefault(ctx, account)
  const { is_default: _, ...changes } = body
  await accounts.save(ctx, account, sealed(ctx.services, changes) as Partial<AccountRow>)
  const fields = Object.keys(changes)
  if (fields.some((field) => field.startsWith('imap_'))) unwatch(ctx, account.id)
  if (fields.some((field) => field.startsWith('imap_') || field === 'sync_interval_minutes')) await requestSync(ctx, account.id)
}

/** EML-08 */
export async function makeDefault(ctx: Ctx, account: AccountRow) {
  const before = await lockDefault(ctx)
  if (before?.id === account.id) return
  if (before) await accounts.save(ctx, before, { is_default: false })
  await accounts.save(ctx, account, { is_default: true })
}

/** Gone for its user at once; what is stored of it is deleted in the background (EML-09). The oldest of the others becomes the default. */
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
  ctx.tx
    .selectFrom('email_accounts')
    .selectAll()
    .where('tenant_id', '=', ctx.tenant.id)
    .where('user_id', '=', ctx.actor.id)
    .where('removed_at', 'is', null)

/** The actor's default account. One transaction of a user at a time gets past here: the next one sees what this one chose. */
async function lockDefault(ctx: Ctx) {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`default mailbox ${ctx.actor.id}`}, ${ctx.tenant.id}))`.execute(
    ctx.tx,
  )
  return mine(ctx).where('is_default', '=', true).forUpdate().executeTakeFirst()
}

/** What names an internal host by itself is refused here; what a name leads to is judged at each connection. */
export function refuseInternal(services: Services, { imap_host, smtp_host }: Partial<Body>) {
  if (allowsInternal(services)) return
  const wrong = Object.entries({ imap_host, smtp_host }).filter(([, host]) => host && isInternalName(host))
  if (wrong.length)
    throw invalid(Object.fromEntries(wrong.map(([field]) => [field, 'Servers in internal networks are not connected to.'])))
}

function sealed(services: Services, { imap_password, smtp_password, ...body }: Partial<Body>) {
  return {
    ...body,
    ...(imap_password === undefined ? {} : { imap_password: sealPassword(services, imap_password) }),
    ...(smtp_password === undefined ? {} : { smtp_password: sealPassword(services, smtp_password) }),
  }
}
