/** Suspends, deletes and restores platform users, and resets their passwords. */
import type { z } from 'zod'
import { revokeKeys } from '#kernel/auth/keys/keys.ts'
import { removePasskeys } from '#kernel/auth/passkeys/passkeys.ts'
import { checkPasswordRules, hashPassword } from '#kernel/auth/passwords.ts'
import { replacePassword } from '#kernel/auth/sign-in.ts'
import { endOneTimeTokens, revokeTokens } from '#kernel/auth/tokens.ts'
import { removeFactor } from '#kernel/auth/two-factor/factor.ts'
import type { PlatformCtx, PlatformSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { discardFile } from '#kernel/storage/uploads.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { endImpersonations } from '#platform/impersonation/public.ts'
import { refuseMorePowerful } from '#platform/roles/public.ts'
import { refuseLastSuperadmin } from './last-superadmin.ts'
import type { ResetPassword } from './schema.ts'
import { operatorAccount, type UserRow, users } from './users.ts'

/** Suspends a user. 422 on `user` for oneself and for the last superadmin. Ends the user's impersonations. */
export async function suspend(ctx: PlatformCtx, user: UserRow) {
  await refuseRemoval(ctx, user, 'suspended')
  if (user.suspended_at !== null) return
  await users.save(ctx, user, { suspended_at: ctx.now })
  await endImpersonations(ctx, { admin_id: user.id })
  await audit(ctx, 'platform_user_suspended', { user_id: user.id })
}

/** Ends a suspension. No effect on other users. */
export async function unsuspend(ctx: PlatformCtx, user: UserRow) {
  await refuseMorePowerful(ctx, user.id)
  if (user.suspended_at === null) return
  await users.save(ctx, user, { suspended_at: null })
  await audit(ctx, 'platform_user_unsuspended', { user_id: user.id })
}

/** Deletes a user. 422 on `user` as in `suspend`. Sessions and mailed links end. */
export async function deleteUser(ctx: PlatformCtx, user: UserRow) {
  await refuseRemoval(ctx, user, 'deleted')
  await endImpersonations(ctx, { admin_id: user.id })
  await users.trash(ctx, user)
  await revokeTokens(ctx, operatorAccount(user))
  await revokeKeys(ctx, operatorAccount(user))
  await endOneTimeTokens(ctx, operatorAccount(user))
  await audit(ctx, 'platform_user_deleted', { user_id: user.id })
}

/** Restores a user. 400 for a live one; 422 on `email` if the address was taken meanwhile. */
export async function restoreUser(ctx: PlatformCtx, user: UserRow) {
  await refuseMorePowerful(ctx, user.id)
  await users.restore(ctx, user)
  await audit(ctx, 'platform_user_restored', { user_id: user.id })
}

/** Deletes a user for good. 400 for a live one. Their actions stay in the audit log, with their name. */
export async function forceDelete(ctx: PlatformCtx, user: UserRow) {
  await refuseMorePowerful(ctx, user.id)
  await users.force(ctx, user)
  await endOneTimeTokens(ctx, operatorAccount(user))
  await removeFactor(ctx, operatorAccount(user))
  await removePasskeys(ctx, operatorAccount(user))
  if (user.avatar_path) await discardFile(ctx, user.avatar_path)
  await audit(ctx, 'platform_user_force_deleted', { user_id: user.id })
}

async function refuseRemoval(ctx: PlatformCtx, user: UserRow, what: string) {
  if (user.id === ctx.actor.id) throw invalid({ user: `You can't be ${what} by yourself.` })
  await refuseMorePowerful(ctx, user.id)
  await refuseLastSuperadmin(ctx, user, 'user')
}

/** Sets another user's password. Ends their sessions and every link that could set a password; suspends their passkeys. */
export async function resetPassword(steps: PlatformSteps, id: number, { password }: z.output<typeof ResetPassword>) {
  const judge = async (ctx: PlatformCtx) => {
    const user = await users.find(ctx, id)
    if (user.id === ctx.actor.id) throw invalid({ user: 'Change your own password in your profile, by the old one.' })
    await refuseMorePowerful(ctx, user.id)
    return user
  }
  await steps.read(async (ctx) => {
    await judge(ctx)
    await checkPasswordRules(ctx, password)
  })
  const password_hash = await hashPassword(password)
  return steps.finish(async (ctx) => {
    await users.lock(ctx, id)
    const user = await judge(ctx) // their roles may have changed meanwhile
    await replacePassword(ctx, operatorAccount(user), user, password_hash)
    await audit(ctx, 'platform_user_password_reset', { user_id: id })
    return users.shown(ctx, id)
  })
}
