/**
 * Service accounts of the platform: actors for programs that operate it, like those of a workspace
 * (`src/workspace/service-accounts`).
 */
import { sql } from 'kysely'
import type { z } from 'zod'
import { revokeKeys } from '#kernel/auth/keys/keys.ts'
import type { PlatformCtx } from '#kernel/context.ts'
import { listing } from '#kernel/records/listing.ts'
import { platformResource } from '#kernel/records/platform-resource.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { areOthers, refuseMorePowerful, rolesOf, rolesToGive } from '#platform/roles/public.ts'
import { giveRoles, touch } from '#platform/users/public.ts'
import { type CreateServiceAccount, ServiceAccount, type UpdateServiceAccount } from './schema.ts'

export const serviceAccounts = platformResource({
  table: 'platform_users',
  noun: 'service account',
  item: ServiceAccount,
  only: (as) => sql`${sql.ref(`${as}.is_service`)}`,
})
type Account = Awaited<ReturnType<typeof serviceAccounts.find>>

export const accountList = listing(serviceAccounts.listed, { search: ['name', 'description'] })

/** Creates an account. 422 on `role` for roles that the actor may not grant. */
export async function createAccount(ctx: PlatformCtx, { role, ...profile }: z.output<typeof CreateServiceAccount>) {
  const roleIds = await rolesToGive(ctx, role)
  const account = await serviceAccounts.insert(ctx, { ...profile, is_service: true, email: '' })
  await giveRoles(ctx, account.id, roleIds)
  await audit(ctx, 'service_account_created', { user_id: account.id, roles: role })
  return serviceAccounts.shown(ctx, account.id)
}

/** Changes an account's profile and roles. 422 if it is more powerful than the actor. */
export async function updateAccount(
  ctx: PlatformCtx,
  account: Account,
  { role, ...profile }: z.output<typeof UpdateServiceAccount>,
) {
  await refuseMorePowerful(ctx, account.id)
  const before = (await rolesOf(ctx, account.id)).map(({ name }) => name)
  const roles = role && areOthers(role, before) ? role : undefined
  if (roles) await giveRoles(ctx, account.id, await rolesToGive(ctx, roles, before))
  const saved = await serviceAccounts.save(ctx, account, profile)
  if (saved === account && !roles) return
  if (saved === account) await touch(ctx, account)
  await audit(ctx, 'service_account_updated', { user_id: account.id, ...(roles ? { roles } : {}) })
}

/** Suspends an account. Its keys stop working until the suspension ends. */
export async function suspend(ctx: PlatformCtx, account: Account) {
  await refuseMorePowerful(ctx, account.id)
  if (account.suspended_at !== null) return
  await serviceAccounts.save(ctx, account, { suspended_at: ctx.now })
  await audit(ctx, 'service_account_suspended', { user_id: account.id })
}

/** Ends a suspension. Does nothing if there is none. */
export async function unsuspend(ctx: PlatformCtx, account: Account) {
  await refuseMorePowerful(ctx, account.id)
  if (account.suspended_at === null) return
  await serviceAccounts.save(ctx, account, { suspended_at: null })
  await audit(ctx, 'service_account_unsuspended', { user_id: account.id })
}

/** Deletes an account. Its keys are revoked for good: a restored account needs new ones. */
export async function deleteAccount(ctx: PlatformCtx, account: Account) {
  await refuseMorePowerful(ctx, account.id)
  await serviceAccounts.trash(ctx, account)
  await revokeKeys(ctx, { tenant_id: null, user_id: account.id })
  await audit(ctx, 'service_account_deleted', { user_id: account.id })
}

/** Restores an account. 400 for a live one. */
export async function restoreAccount(ctx: PlatformCtx, account: Account) {
  await refuseMorePowerful(ctx, account.id)
  await serviceAccounts.restore(ctx, account)
  await audit(ctx, 'service_account_restored', { user_id: account.id })
}

/**
 * Returns the owner of keys with its permissions. The actor must have all of them, because nobody may create a key with more
 * permissions than they have.
 */
export async function keyOwner(ctx: PlatformCtx, id: number) {
  const account = await serviceAccounts.find(ctx, id)
  const permissions = new Set((await rolesOf(ctx, account.id)).flatMap((role) => role.permissions))
  await refuseMorePowerful(ctx, account.id)
  const seen = { id: account.id, revision: account.revision } // compared with If-Match
  return { tenant_id: null, user_id: account.id, ...seen, permissions }
}
