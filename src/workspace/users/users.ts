/** Users of a workspace. The owner can't be suspended, deleted or given other roles (GEN-12, decisions "Owner"). */
import { sql } from 'kysely'
import type { z } from 'zod'
import { checkPasswordRules } from '#kernel/auth/accounts.ts'
import { hashPassword } from '#kernel/auth/passwords.ts'
import { revokeTokens } from '#kernel/auth/tokens.ts'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Row, resource, revise } from '#kernel/records/resource.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { toNumber } from '#kernel/values/money.ts'
import { endLinks, proveAddress, takenEmail } from '#workspace/account/public.ts'
import { roleNames, rolesToGive } from '#workspace/roles/public.ts'
import type { CreateUser, UpdateUser } from './schema.ts'

export const users = resource({
  table: 'users',
  noun: 'user',
  decimals: ['lead_commission_rate'],
  unique: takenEmail,
})

export const userList = listing(users, {
  sorts: ['created_at', 'updated_at', 'name', 'email'],
  search: true,
  filters: {
    suspended: {
      schema: filter.flag('suspended_at').schema,
      where: (_, value, column) => sql`(${column('suspended_at')} is not null) = ${value}`,
    },
  },
})

export const selectUsers = (ctx: Ctx) => ctx.tx.selectFrom('users').selectAll('users').select(roleNames.as('role'))

type Selected = Row<'users'> & { role: string[] }

/** A user as the API shows it. Their employee record is linked by the Employees module. */
export const presentUser = (user: Selected) => ({
  ...user,
  employee_id: null,
  lead_commission_rate: user.lead_commission_rate === null ? null : toNumber(user.lead_commission_rate),
})

export async function showUser(ctx: Ctx, id: number) {
  return presentUser(
    await selectUsers(ctx).where('users.tenant_id', '=', ctx.tenant.id).where('users.id', '=', id).executeTakeFirstOrThrow(),
  )
}

/** Adds a user. With a password they get a mail to verify the address, without one an invitation. */
export async function createUser(ctx: Ctx, { role, password, ...body }: z.output<typeof CreateUser>) {
  if (password !== undefined) await checkPasswordRules(ctx, password)
  const roleIds = await rolesToGive(ctx, role)
  const user = await users.insert(ctx, { ...body, password_hash: password === undefined ? null : await hashPassword(password) })
  await giveRoles(ctx, user.id, roleIds)
  await proveAddress(ctx, user)
  return showUser(ctx, user.id)
}

/** Changes a user. A new address must be verified anew; the owner's roles stay. */
export async function updateUser(ctx: Ctx, user: Row<'users'>, { role, ...body }: z.output<typeof UpdateUser>) {
  if (user.is_owner && !ctx.actor.isOwner) throw invalid({ user: 'Only the owner may change the owner.' })
  if (role) await changeRoles(ctx, user, role)
  const newEmail = body.email !== undefined && body.email !== user.email
  if (newEmail) await refuseMorePowerful(ctx, user)
  const saved = await revise(ctx, users, user, { ...body, ...(newEmail ? { email_verified_at: null } : {}) })
  if (newEmail) await proveAddress(ctx, saved)
  return showUser(ctx, user.id)
}

/** Gives the user these roles instead of those they have. Nothing to do when they are the same. */
async function changeRoles(ctx: Ctx, user: Row<'users'>, names: string[]) {
  const { role: before } = await showUser(ctx, user.id)
  if (new Set(names).symmetricDifference(new Set(before)).size === 0) return
  if (user.is_owner) throw invalid({ role: "The owner's role can't be changed." })
  await giveRoles(ctx, user.id, await rolesToGive(ctx, names, before))
  await users.save(ctx, user, {}) // another revision: `If-Match` guards the roles too
  await logActivity(ctx, users, user.id, 'updated', { fields: ['role'] })
}

/** Whoever holds the address can reset the password: nobody may redirect it for somebody who may do more than they. */
async function refuseMorePowerful(ctx: Ctx, user: Row<'users'>) {
  const { rows } = await sql<{ permission: string }>`
    select distinct unnest(r.permissions) as permission
    from user_roles ur join roles r on r.tenant_id = ur.tenant_id and r.id = ur.role_id
    where ur.tenant_id = ${ctx.tenant.id} and ur.user_id = ${user.id}`.execute(ctx.tx)
  const beyond = rows.find(({ permission }) => !ctx.can(permission as never))
  if (beyond)
    throw invalid({
      email: `This user may do what you may not (${beyond.permission}); somebody who may has to change the address.`,
    })
}

export async function suspend(ctx: Ctx, user: Row<'users'>) {
  refuseOwnerOrSelf(ctx, user, 'suspended')
  if (user.suspended_at === null) await users.save(ctx, user, { suspended_at: ctx.now })
  return showUser(ctx, user.id)
}

export async function unsuspend(ctx: Ctx, user: Row<'users'>) {
  if (user.suspended_at !== null) await users.save(ctx, user, { suspended_at: null })
  return showUser(ctx, user.id)
}

export async function deleteUser(ctx: Ctx, user: Row<'users'>) {
  refuseOwnerOrSelf(ctx, user, 'deleted')
  await users.trash(ctx, user)
  await revokeTokens(ctx, { tenant_id: ctx.tenant.id, user_id: user.id })
  await endLinks(ctx, user.id)
}

/** 400 for a live user; 422 on `email` when the address was taken meanwhile. */
export async function restoreUser(ctx: Ctx, user: Row<'users'>) {
  await users.restore(ctx, user)
  return showUser(ctx, user.id)
}

/** Vouches for a user's address instead of the mailed link. */
export async function verifyUserEmail(ctx: Ctx, user: Row<'users'>) {
  if (user.email_verified_at === null) await users.save(ctx, user, { email_verified_at: ctx.now })
  return showUser(ctx, user.id)
}

/** Who may be given a lead: not suspended, not the owner, not excluded. */
export async function leadAssignees(ctx: Ctx) {
  return ctx.tx
    .selectFrom('users')
    .select(['id', 'name', 'email'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('deleted_at', 'is', null)
    .where('suspended_at', 'is', null)
    .where('is_owner', '=', false)
    .where('exclude_from_lead_auto_assign', '=', false)
    .orderBy('name')
    .orderBy('id')
    .execute()
}

function refuseOwnerOrSelf(ctx: Ctx, user: Row<'users'>, what: string) {
  if (user.is_owner) throw invalid({ user: `The owner can't be ${what}.` })
  if (user.id === ctx.actor.id) throw invalid({ user: `You can't be ${what} by yourself.` })
}

async function giveRoles(ctx: Ctx, userId: number, roleIds: number[]) {
  await ctx.tx.deleteFrom('user_roles').where('tenant_id', '=', ctx.tenant.id).where('user_id', '=', userId).execute()
  if (roleIds.length)
    await ctx.tx
      .insertInto('user_roles')
      .values(roleIds.map((role_id) => ({ tenant_id: ctx.tenant.id, user_id: userId, role_id })))
      .execute()
}
