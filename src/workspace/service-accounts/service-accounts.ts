/**
 * Service accounts: actors of programs. They are users without email address, password and mailbox. They have roles and appear by
 * name in timelines, but get no leads and no notifications. An actor can grant one only permissions that they have.
 */
import { sql } from 'kysely'
import type { z } from 'zod'
import { revokeKeys } from '#kernel/auth/keys/keys.ts'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { emit } from '#kernel/modules/events.ts'
import { revise } from '#kernel/records/changes.ts'
import { listing } from '#kernel/records/listing.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { permissionsOf, refuseMorePowerful, rolesOf, rolesToGive } from '#workspace/roles/public.ts'
import { changeRoles, giveRoles, stamp } from '#workspace/users/public.ts'
import { type CreateServiceAccount, ServiceAccount, type UpdateServiceAccount } from './schema.ts'

type Account = Row<'users'>

const manage = 'service-accounts.manage'

export const serviceAccounts = resource({
  table: 'users',
  module: 'service-accounts',
  noun: 'service account',
  eventKind: 'service_account',
  activityTemplates: { suspended: () => 'Suspended', unsuspended: () => 'Suspension lifted' },
  item: ServiceAccount,
  scope: (_, as) => sql`${sql.ref(`${as}.is_service`)}`,
  allow: { view: manage, create: manage, update: manage, delete: manage, restore: manage, export: manage },
})

export const accountList = listing(serviceAccounts, { search: true })

export async function createAccount(ctx: Ctx, { role, ...profile }: z.output<typeof CreateServiceAccount>) {
  const roleIds = await rolesToGive(ctx, role)
  const account = await serviceAccounts.insert(ctx, { ...profile, is_service: true, email: '' })
  await giveRoles(ctx, account.id, roleIds)
  return account
}

export async function updateAccount(ctx: Ctx, account: Account, { role, ...profile }: z.output<typeof UpdateServiceAccount>) {
  await refuseMorePowerful(ctx, account)
  refuseOfPlatform(account)
  await revise(ctx, serviceAccounts, account, profile, role ? await changeRoles(ctx, account, role) : {})
}

/** Its keys don't work until the suspension is lifted. */
export async function suspend(ctx: Ctx, account: Account) {
  await refuseMorePowerful(ctx, account)
  if (account.suspended_at !== null) return
  await stamp(ctx, serviceAccounts, account, 'suspended', { suspended_at: ctx.now })
  await emit(ctx, 'user.suspended', { user_id: account.id })
}

export async function unsuspend(ctx: Ctx, account: Account) {
  await refuseMorePowerful(ctx, account)
  if (account.suspended_at !== null) await stamp(ctx, serviceAccounts, account, 'unsuspended', { suspended_at: null })
}

/** Revokes its keys for good: a restored account needs new ones. */
export async function deleteAccount(ctx: Ctx, account: Account) {
  await refuseMorePowerful(ctx, account)
  await serviceAccounts.trash(ctx, account)
  await revokeKeys(ctx, { tenant_id: ctx.tenant.id, user_id: account.id })
  await emit(ctx, 'user.deleted', { user_id: account.id })
}

export async function restoreAccount(ctx: Ctx, account: Account) {
  await refuseMorePowerful(ctx, account)
  await serviceAccounts.restore(ctx, account)
}

/** Returns the keys' owner with the account's permissions: a key never exceeds its creator's permissions. */
export async function keyOwner(ctx: Ctx, id: number) {
  const account = await serviceAccounts.find(ctx, id)
  refuseOfPlatform(account)
  const seen = { id: account.id, revision: account.revision } // compared with If-Match
  return {
    tenant_id: ctx.tenant.id,
    user_id: account.id,
    ...seen,
    permissions: permissionsOf(ctx, await rolesOf(ctx, account.id)),
  }
}

/**
 * 422 on `user`: name, roles and credentials of a platform account are managed by the platform. It can only be suspended and
 * deleted here.
 */
function refuseOfPlatform({ platform_user_id }: Account) {
  if (platform_user_id !== null)
    throw invalid({ user: 'This is an account of the platform: it can be suspended or deleted here, and nothing else.' })
}
