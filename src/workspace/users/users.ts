/** Users of a workspace. The owner can't be suspended, deleted or given other roles (GEN-12, decisions "Owner"). */
import { sql } from 'kysely'
import type { z } from 'zod'
import { takenEmail } from '#kernel/auth/accounts.ts'
import { askForProof, changeOwnEmail, replaceEmail } from '#kernel/auth/addresses.ts'
import { keepDirectory } from '#kernel/auth/directory.ts'
import { revokeKeys } from '#kernel/auth/keys/keys.ts'
import { checkPasswordRules, hashPassword } from '#kernel/auth/passwords.ts'
import { endOneTimeTokens, revokeTokens } from '#kernel/auth/tokens.ts'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { emit } from '#kernel/modules/events.ts'
import { followingChanges, revise } from '#kernel/records/changes.ts'
import { filterOf, listing } from '#kernel/records/listing.ts'
import { type Resource, type Row, replaceChildren, resource } from '#kernel/records/resource.ts'
import { type Changed, writeActivity } from '#kernel/records/timeline.ts'
import { requireInPerson } from '#kernel/tenancy/session.ts'
import { queryFlag } from '#kernel/values/fields.ts'
import { everydayRole, MEMBER, refuseMorePowerful, rolesOf, rolesToGive } from '#workspace/roles/public.ts'
import { chooseEmployee, needEmployees } from './employment.ts'
import { type CreateUser, type UpdateUser, User } from './schema.ts'

type UserRow = Row<'users'>

export const users = resource({
  table: 'users',
  module: 'users',
  noun: 'user',
  item: User,
  picker: true,
  unique: takenEmail,
  activityTemplates: {
    suspended: () => 'Suspended',
    unsuspended: () => 'Suspension lifted',
    email_verified: () => 'Address verified',
  },
  scope: (_, as) => sql`not ${sql.ref(`${as}.is_service`)}`,
  keepOnCluster: (ctx, id) => keepDirectory(ctx, ctx.tenant.id, [id]),
})

export const userList = listing(users, {
  search: true,
  filters: {
    suspended: filterOf({
      schema: queryFlag(),
      where: (_, value, column) => sql`(${column('suspended_at')} is not null) = ${value}`,
    }),
  },
})

/**
 * Adds a user, and an employee for them where Employees is installed (USR-07). With a password the user gets a mail to verify the
 * address, without one an invitation.
 */
export async function createUser(
  steps: WorkspaceSteps,
  { role, password, employee_id = null, create_employee, ...body }: z.output<typeof CreateUser>,
) {
  if (create_employee) needEmployees(steps, 'create_employee')
  if (password !== undefined) await steps.read((ctx) => checkPasswordRules(ctx, password))
  const password_hash = password === undefined ? null : await hashPassword(password)
  return steps.finish(async (ctx) => {
    const roleIds = await rolesToGive(ctx, await meantRoles(ctx, role))
    const user = await users.insert(ctx, { ...body, password_hash })
    await giveRoles(ctx, user.id, roleIds)
    await askForProof(ctx, accountOf(ctx, user), user)
    await emit(ctx, 'user.created', { user_id: user.id, create_employee: create_employee !== false && employee_id === null })
    if (employee_id !== null) await chooseEmployee(ctx, user.id, employee_id)
    return users.renderUnscoped(ctx, user.id)
  })
}

/** Resolves the default role: the seeded role under its current name, unless another role has its original name now. */
async function meantRoles(ctx: Ctx, names: string[]): Promise<string[]> {
  if (names.length !== 1 || names[0] !== MEMBER) return names
  const taken = await ctx.from('roles').select('id').where('name', '=', MEMBER).executeTakeFirst()
  return taken ? names : [(await everydayRole(ctx)) ?? MEMBER]
}

/**
 * Changes a user. Another user's address changes at once and must be verified again; the actor's own changes as in their profile.
 * The owner's roles stay.
 */
export async function updateUser(ctx: Ctx, user: UserRow, { role, email, employee_id, ...body }: z.output<typeof UpdateUser>) {
  const beside = {
    ...(role ? await changeRoles(ctx, user, role) : {}),
    ...(employee_id === undefined ? {} : await changeEmployee(ctx, user, employee_id)),
  }
  const own = user.id === ctx.actor.id
  const newEmail = email !== undefined && email !== user.email
  const replaced = newEmail && !own ? { email: [user.email, email] as [string, string] } : {}
  const saved = await revise(ctx, users, user, body, { ...beside, ...replaced })
  if (own && email !== undefined) {
    if (newEmail) requireInPerson(ctx.actor)
    await changeOwnEmail(ctx, accountOf(ctx, user), saved, email)
  } else if (newEmail) await replaceEmail(ctx, accountOf(ctx, user), saved, email)
}

const accountOf = (ctx: Ctx, user: { id: number }) => ({ tenant_id: ctx.tenant.id, user_id: user.id })

/** Replaces a user's roles and returns the change, which the caller must record. A no-op for the same roles. */
export async function changeRoles(ctx: Ctx, user: UserRow, names: string[]): Promise<Changed> {
  const before = (await rolesOf(ctx, user.id)).map(({ name }) => name)
  if (new Set(names).symmetricDifference(new Set(before)).size === 0) return {}
  if (user.is_owner) throw invalid({ role: "The owner's role can't be changed." })
  await giveRoles(ctx, user.id, await rolesToGive(ctx, names, before))
  return { role: [before, [...new Set(names)]] }
}

/** Links the user to another employee (USR-01) and returns the change, which the caller must record. A no-op for the same one. */
async function changeEmployee(ctx: Ctx, user: UserRow, employee_id: number | null): Promise<Changed> {
  const before = await users.loadDetailUnscoped(ctx, user.id)
  if (employee_id === before.employee_id) return {}
  await chooseEmployee(ctx, user.id, employee_id)
  return { employee_id: [before.employee_id, employee_id] }
}

/** Saves a status change of an account with its own timeline entry. */
export async function stamp(
  ctx: Ctx,
  of: Resource<'users'>,
  user: UserRow,
  type: 'suspended' | 'unsuspended' | 'email_verified',
  changes: Pick<UserRow, 'suspended_at'> | Pick<UserRow, 'email_verified_at'>,
) {
  const saved = await of.save(ctx, user, changes)
  await writeActivity(ctx, { table: of.table, id: user.id, type, changed: followingChanges(of, user, saved) })
}

export const refuseSuspension = (ctx: Ctx, user: UserRow) => refuseOwnerOrSelf(ctx, user, 'suspended')
export const refuseDeletion = (ctx: Ctx, user: UserRow) => refuseOwnerOrSelf(ctx, user, 'deleted')

export async function suspend(ctx: Ctx, user: UserRow) {
  if (user.suspended_at !== null) return
  await stamp(ctx, users, user, 'suspended', { suspended_at: ctx.now })
  await emit(ctx, 'user.suspended', { user_id: user.id })
}

export async function unsuspend(ctx: Ctx, user: UserRow) {
  if (user.suspended_at !== null) await stamp(ctx, users, user, 'unsuspended', { suspended_at: null })
}

export async function deleteUser(ctx: Ctx, user: UserRow) {
  await users.trash(ctx, user)
  await revokeTokens(ctx, accountOf(ctx, user))
  await revokeKeys(ctx, accountOf(ctx, user))
  await endOneTimeTokens(ctx, accountOf(ctx, user))
  await emit(ctx, 'user.deleted', { user_id: user.id })
}

/** 400 for a live user; 422 on `email` when the address was taken meanwhile. */
export async function restoreUser(ctx: Ctx, user: UserRow) {
  await refuseMorePowerful(ctx, user)
  await users.restore(ctx, user)
}

/** Verifies a user's address without the mailed link. */
export async function verifyUserEmail(ctx: Ctx, user: UserRow) {
  if (user.email_verified_at === null) await stamp(ctx, users, user, 'email_verified', { email_verified_at: ctx.now })
}

/** 422 on `user` who already has a password. */
export async function refuseInvited(ctx: Ctx, user: UserRow) {
  await refuseMorePowerful(ctx, user)
  if (user.password_hash !== null) throw invalid({ user: 'This user has accepted the invitation already.' })
}

/** Mails a new invitation; the earlier one becomes invalid. */
export const resendInvite = (ctx: Ctx, user: UserRow) => askForProof(ctx, accountOf(ctx, user), user)

async function refuseOwnerOrSelf(ctx: Ctx, user: UserRow, what: string) {
  if (user.is_owner) throw invalid({ user: `The owner can't be ${what}.` })
  if (user.id === ctx.actor.id) throw invalid({ user: `You can't be ${what} by yourself.` })
  await refuseMorePowerful(ctx, user)
}

/** Replaces a user's roles. */
export const giveRoles = (ctx: Ctx, userId: number, roleIds: number[]) =>
  replaceChildren(ctx, userId, { table: 'user_roles', by: 'user_id', rows: roleIds.map((role_id) => ({ role_id })) })
