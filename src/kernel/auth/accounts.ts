/**
 * Accounts: a user of a workspace, or of the platform (`tenant_id` null), with an e-mail address and a password. The caller's
 * transaction has the platform's role before sign-in, and the actor's role afterwards.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor, BaseCtx } from '../context.ts'
import { refuseTaken } from '../database/violations.ts'
import { notFound } from '../errors.ts'
import { platformSetting } from '../modules/platform-settings.ts'
import { lockOperator } from '../tenancy/operator-lock.ts'
import { keepDirectory } from './directory.ts'

/** Identity of an account. */
export interface Account {
  tenant_id: number | null
  user_id: number
}

/** Returns the account of the signed-in user. */
export const accountOf = (ctx: { actor: Actor }): Account => ({
  tenant_id: 'tenant' in ctx ? (ctx.tenant as { id: number }).id : null,
  user_id: ctx.actor.id!,
})

/** Condition for an account's rows in a table with `tenant_id` and `user_id`. */
export const ownedBy = ({ tenant_id, user_id }: Account): RawBuilder<SqlBool> =>
  tenant_id === null ? sql`tenant_id is null and user_id = ${user_id}` : sql`tenant_id = ${tenant_id} and user_id = ${user_id}`

/** Stored columns of an account. */
export interface AccountRow {
  id: number
  name: string
  email: string
  pending_email: string | null
  avatar_path: string | null
  password_hash: string | null
  email_verified_at: string | null
  suspended_at: string | null
}

const columns = [
  'id',
  'name',
  'email',
  'pending_email',
  'avatar_path',
  'password_hash',
  'email_verified_at',
  'suspended_at',
] as const

/** Returns the live account, locked; undefined if there is none. */
export async function findAccount(ctx: BaseCtx, { tenant_id, user_id }: Account): Promise<AccountRow | undefined> {
  if (tenant_id === null) {
    await lockOperator(ctx, user_id)
    return ctx.tx
      .selectFrom('platform_users')
      .select(columns)
      .where('id', '=', user_id)
      .where('deleted_at', 'is', null)
      .$if(!ctx.services.database.isCluster, (query) => query.forUpdate())
      .executeTakeFirst()
  }
  const people = ctx.tx.selectFrom('users').select(columns).where('tenant_id', '=', tenant_id).where('id', '=', user_id)
  return people.where('deleted_at', 'is', null).forUpdate().executeTakeFirst()
}

/** Returns the live account, locked. Throws 404 if there is none. */
export async function lockAccount(ctx: BaseCtx, account: Account): Promise<AccountRow> {
  const row = await findAccount(ctx, account)
  if (!row) throw notFound('There is no such account.')
  return row
}

/**
 * Messages for unique violations. The unique index decides instead of a previous check, because concurrent requests could take
 * the same address.
 */
export const takenEmail = {
  users_email: { email: 'Another user of this workspace has this address.' },
  platform_users_email: { email: 'Another platform user has this address.' },
}

/** Saves columns of an account. Throws 422 on `email` if another account has the address. */
export async function updateAccount(
  ctx: BaseCtx,
  { tenant_id, user_id }: Account,
  changes: Partial<Omit<AccountRow, 'id' | 'suspended_at'>>,
) {
  const set = { ...changes, updated_at: ctx.now, revision: sql<number>`revision + 1` }
  const query =
    tenant_id === null
      ? ctx.tx.updateTable('platform_users').set(set).where('id', '=', user_id)
      : ctx.tx.updateTable('users').set(set).where('tenant_id', '=', tenant_id).where('id', '=', user_id)
  await query.execute().catch(refuseTaken(takenEmail))
  if (tenant_id !== null) await keepDirectory(ctx, tenant_id, [user_id])
}

/** Saves another hash of the same password. No visible field of the account changes, so its revision doesn't either. */
export async function renewHash(ctx: BaseCtx, { tenant_id, user_id }: Account, password_hash: string) {
  if (tenant_id === null) {
    await ctx.tx.updateTable('platform_users').set({ password_hash }).where('id', '=', user_id).execute()
    return
  }
  const people = ctx.tx.updateTable('users').set({ password_hash })
  await people.where('tenant_id', '=', tenant_id).where('id', '=', user_id).execute()
  await keepDirectory(ctx, tenant_id, [user_id])
}

/** Whether a live account of the same workspace, or of the platform, has an address. */
export async function isTaken(ctx: BaseCtx, { tenant_id }: Account, email: string): Promise<boolean> {
  const { rows } =
    tenant_id === null
      ? await sql`select id from platform_users where email = ${email} and deleted_at is null and not is_service`.execute(ctx.tx)
      : await sql`select id from users where tenant_id = ${tenant_id} and email = ${email} and deleted_at is null and not is_service`.execute(
          ctx.tx,
        )
  return rows.length > 0
}

/** Sender name of mails to an account: its workspace's name, or the platform's. */
export async function senderName(ctx: BaseCtx, { tenant_id }: Account): Promise<string> {
  if (tenant_id === null) return platformSetting(ctx, 'app_name')
  const { workspace_name } = await ctx.tx
    .selectFrom('tenants')
    .select('workspace_name')
    .where('id', '=', tenant_id)
    .executeTakeFirstOrThrow()
  return workspace_name
}
