/** Users of the platform. Rules for managing them are in roles/powers.ts. */
import { sql } from 'kysely'
import { z } from 'zod'
import { takenEmail } from '#kernel/auth/accounts.ts'
import { askForProof, changeOwnEmail, markVerified, replaceEmail } from '#kernel/auth/addresses.ts'
import { checkPasswordRules, hashPassword } from '#kernel/auth/passwords.ts'
import type { PlatformCtx, PlatformSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { filterOf, listing } from '#kernel/records/listing.ts'
import { platformResource } from '#kernel/records/platform-resource.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { requireInPerson } from '#kernel/tenancy/session.ts'
import { queryFlag } from '#kernel/values/fields.ts'
import { areOthers, refuseMorePowerful, rolesOf, rolesToGive, SUPERADMIN } from '#platform/roles/public.ts'
import { refuseLastSuperadmin } from './last-superadmin.ts'
import { type CreateUser, type InviteUser, type UpdateUser, User } from './schema.ts'

/** Platform users, without service accounts. */
export const users = platformResource({
  table: 'platform_users',
  noun: 'user',
  item: User,
  unique: takenEmail,
  only: (as) => sql`not ${sql.ref(`${as}.is_service`)}`,
})
export type UserRow = Awaited<ReturnType<typeof users.find>>

export const userList = listing(users.listed, {
  search: ['name', 'email', 'phone'],
  filters: {
    suspended: filterOf({
      schema: queryFlag(),
      where: (_, value, column) => sql`(${column('suspended_at')} is not null) = ${value}`,
    }),
    role: filterOf({
      schema: z.string().max(100),
      where: (_, name, column) => sql`${column('id')} in (
        select ur.user_id from platform_user_roles ur join platform_roles r on r.id = ur.role_id where r.name = ${name})`,
    }),
  },
})

/** Returns a platform user's id as an account. */
export const operatorAccount = ({ id }: { id: number }) => ({ tenant_id: null, user_id: id })

/** Returns a live user, for themselves or for users with the permission (CEN-39). */
export async function readable(ctx: PlatformCtx, id: number): Promise<UserRow> {
  if (id !== ctx.actor.id) ctx.require('users.read')
  return users.find(ctx, id)
}

/** Adds a user with a password, and mails a link to verify the address. */
export async function createUser(steps: PlatformSteps, { password, ...body }: z.output<typeof CreateUser>) {
  await steps.read((ctx) => checkPasswordRules(ctx, password))
  const password_hash = await hashPassword(password)
  return steps.finish((ctx) => addUser(ctx, body, { password_hash }, 'platform_user_created'))
}

/** Adds a user who chooses a password by the mailed invitation (CEN-38). */
export const inviteUser = (ctx: PlatformCtx, body: z.output<typeof InviteUser>) =>
  addUser(ctx, body, { password_hash: null, invite_sent_at: ctx.now }, 'platform_user_invited')

async function addUser(
  ctx: PlatformCtx,
  { role, ...body }: z.output<typeof InviteUser>,
  more: { password_hash: string | null; invite_sent_at?: string },
  event: 'platform_user_created' | 'platform_user_invited',
) {
  const roleIds = await rolesToGive(ctx, role)
  const user = await users.insert(ctx, { ...body, ...more })
  await giveRoles(ctx, user.id, roleIds)
  await askForProof(ctx, operatorAccount(user), user)
  await audit(ctx, event, { user_id: user.id, roles: role })
  return users.shown(ctx, user.id)
}

/** Changes a user. Another user's address changes at once and must be verified; one's own changes as in the profile. */
export async function updateUser(ctx: PlatformCtx, user: UserRow, { role, email, ...body }: z.output<typeof UpdateUser>) {
  await refuseMorePowerful(ctx, user.id)
  const before = (await rolesOf(ctx, user.id)).map(({ name }) => name)
  const newRoles = role !== undefined && areOthers(role, before)
  const newEmail = email !== undefined && email !== user.email
  if (newRoles) await changeRoles(ctx, user, role, before)
  let saved = await users.save(ctx, user, body)
  const fields = (['name', 'phone'] as const).filter((field) => saved[field] !== user[field])
  if (newRoles && saved === user) saved = await touch(ctx, user)
  const own = user.id === ctx.actor.id
  if (own && newEmail) requireInPerson(ctx.actor)
  if (own && email !== undefined) await changeOwnEmail(ctx, operatorAccount(user), saved, email)
  else if (newEmail) await replaceEmail(ctx, operatorAccount(user), saved, email)
  const changed = [...fields, ...(newEmail ? ['email'] : []), ...(newRoles ? ['role'] : [])]
  if (changed.length)
    await audit(ctx, 'platform_user_updated', { user_id: user.id, fields: changed, ...(newRoles ? { roles: role } : {}) })
  return users.shown(ctx, user.id)
}

/** Increments the revision of an account whose roles changed, so that `If-Match` covers them too. */
export const touch = (ctx: PlatformCtx, { id }: Pick<UserRow, 'id'>) =>
  ctx.tx
    .updateTable('platform_users')
    .set({ updated_at: ctx.now, revision: sql`revision + 1` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

async function changeRoles(ctx: PlatformCtx, user: UserRow, names: string[], before: string[]) {
  const roleIds = await rolesToGive(ctx, names, before)
  if (before.includes(SUPERADMIN) && !names.includes(SUPERADMIN)) await refuseLastSuperadmin(ctx, user, 'role')
  await giveRoles(ctx, user.id, roleIds)
}

/** Replaces a user's roles. */
export async function giveRoles(ctx: PlatformCtx, user_id: number, roleIds: number[]) {
  await ctx.tx.deleteFrom('platform_user_roles').where('user_id', '=', user_id).execute()
  if (roleIds.length)
    await ctx.tx
      .insertInto('platform_user_roles')
      .values(roleIds.map((role_id) => ({ user_id, role_id })))
      .execute()
}

/** Marks a user's address as verified instead of the mailed link. */
export async function vouchFor(ctx: PlatformCtx, user: UserRow) {
  await refuseMorePowerful(ctx, user.id)
  if (user.email_verified_at !== null) return
  await markVerified(ctx, operatorAccount(user))
  await audit(ctx, 'platform_user_verified', { user_id: user.id })
}

/** Sends the invitation again; the earlier link ends. 422 on `user` if the user already has a password. */
export async function resendInvite(ctx: PlatformCtx, user: UserRow) {
  await refuseMorePowerful(ctx, user.id)
  if (user.password_hash !== null) throw invalid({ user: 'This user has a password already.' })
  await askForProof(ctx, operatorAccount(user), user)
  await users.save(ctx, user, { invite_sent_at: ctx.now })
  await audit(ctx, 'platform_user_invited', { user_id: user.id })
}
