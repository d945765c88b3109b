/** Signing in to the platform, and one's own profile there. */
import { sql } from 'kysely'
import type { z } from 'zod'
import { invalidCredentials, mailLink, signIn } from '#kernel/auth/accounts.ts'
import { verifyPassword } from '#kernel/auth/passwords.ts'
import type { BaseCtx, PlatformCtx, PublicCtx } from '#kernel/context.ts'
import { forbidden } from '#kernel/errors.ts'
import { platformSetting } from '#kernel/modules/platform-settings.ts'
import { refuseTaken } from '#kernel/records/resource.ts'
import type { Login, UpdateMe } from './schema.ts'

/** 401 for any wrong pair, in equal time. */
export async function login(ctx: PublicCtx, body: z.output<typeof Login>) {
  const user = await byEmail(ctx, body.email)
  if (!(await verifyPassword(body.password, user?.password_hash)) || !user) throw invalidCredentials()
  if (user.suspended_at) throw forbidden('This account is suspended.', 'USER_SUSPENDED')
  const session = await signIn(ctx, { tenant_id: null, user_id: user.id }, body)
  return { ...session, user: await profileOf(ctx, user.id) }
}

const byEmail = (ctx: BaseCtx, email: string) =>
  ctx.tx
    .selectFrom('platform_users')
    .select(['id', 'name', 'email', 'password_hash', 'suspended_at'])
    .where('email', '=', email)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** A platform user's own profile, with everything they may do. */
export async function profileOf(ctx: BaseCtx, id: number) {
  const user = await ctx.tx
    .selectFrom('platform_users')
    .select(['id', 'name', 'email', 'phone', 'avatar_path', 'email_verified_at', 'created_at', 'updated_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const roles = await ctx.tx
    .selectFrom('platform_user_roles as ur')
    .innerJoin('platform_roles as r', 'r.id', 'ur.role_id')
    .select(['r.name', 'r.permissions'])
    .where('ur.user_id', '=', id)
    .orderBy('r.name')
    .execute()
  const role = roles.map(({ name }) => name)
  const permissions = role.includes('superadmin')
    ? ctx.services.modules.permissions('platform').map(({ name }) => name)
    : [...new Set(roles.flatMap((one) => one.permissions))]
  return { ...user, role, permissions }
}

/** Changes name or address (CEN-08). A new address must be verified anew. */
export async function updateMe(ctx: PlatformCtx, body: z.output<typeof UpdateMe>) {
  const id = ctx.actor.id!
  const newEmail = body.email !== undefined && body.email !== ctx.actor.email
  await ctx.tx
    .updateTable('platform_users')
    .set({ ...body, ...(newEmail ? { email_verified_at: null } : {}), updated_at: ctx.now, revision: sql`revision + 1` })
    .where('id', '=', id)
    .execute()
    .catch(refuseTaken({ platform_users_email: { email: 'Another platform user has this address.' } }))
  if (newEmail) {
    // A link that was mailed to the old address must not vouch for the new one.
    await ctx.tx.deleteFrom('one_time_tokens').where('tenant_id', 'is', null).where('user_id', '=', id).execute()
    await mailTo(ctx, 'verify-email', { id, name: body.name ?? ctx.actor.name, email: body.email! })
  }
  return profileOf(ctx, id)
}

/** Mails a reset link when the address is known; says the same when it isn't. */
export async function requestReset(ctx: PublicCtx, email: string) {
  const user = await byEmail(ctx, email)
  if (user) await mailTo(ctx, 'reset-password', user)
}

const mailTo = async (
  ctx: BaseCtx,
  purpose: 'verify-email' | 'reset-password',
  user: { id: number; name: string; email: string },
) => mailLink(ctx, { tenant_id: null, user_id: user.id }, purpose, { ...user, from: await platformSetting(ctx.tx, 'app_name') })
