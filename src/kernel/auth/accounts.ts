/**
 * What somebody does with their own account, the same in both APIs: passwords, sessions, links by mail.
 * An account is a user of a workspace, or of the platform (`tenant_id` null). The caller's transaction has the platform's role
 * where nobody is signed in yet, else the actor's own.
 */
import { z } from 'zod'
import type { BaseCtx } from '../context.ts'
import { HttpError, invalid, notFound } from '../errors.ts'
import { limiter } from '../http/limits.ts'
import { letter } from '../mail/letter.ts'
import { sendMail } from '../mail/mail.ts'
import { platformSetting } from '../modules/platform-settings.ts'
import { email, instant, text } from '../values/fields.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { issueOneTimeToken, issueToken, type Purpose, redeemOneTimeToken, revokeTokens } from './tokens.ts'

export interface Account {
  tenant_id: number | null
  user_id: number
}

const HOUR = 3600
const DAY = 24 * HOUR
const REMEMBERED = 30 * DAY

/** Five a minute by the email sent, else by address (AUTH-19). */
export const authLogin = limiter({ name: 'auth-login', points: 5, seconds: 60, by: { field: 'email' } })
export const forgotPassword = limiter({ name: 'forgot-password', points: 5, seconds: 60, by: { field: 'email' } })
export const resetPasswordLimit = limiter({ name: 'reset-password', points: 5, seconds: 60, by: { field: 'email' } })

export const invalidCredentials = () =>
  new HttpError(401, 'INVALID_CREDENTIALS', 'The e-mail address or the password is not right.')

export const Password = z.string().min(8, 'Must have at least 8 characters.').max(200, 'Must have at most 200 characters.')

const matching = (value: { password: string; password_confirmation: string }) => value.password === value.password_confirmation
const mismatch = { path: ['password_confirmation'], message: 'Must be the same as the password.' }

export const ChangePassword = z
  .object({
    old_password: z.string().max(200),
    password: Password,
    password_confirmation: z.string(),
    revoke_other_sessions: z.boolean().default(true),
  })
  .refine(matching, mismatch)

export const ForgotPassword = z.object({ email: email(), workspace: z.string().max(100).optional() })

const newPassword = { token: text(200), password: Password, password_confirmation: z.string() }
/** The link alone proves the account. */
export const AcceptInvitation = z.object(newPassword).refine(matching, mismatch)
export const ResetPassword = z.object({ email: email(), ...newPassword }).refine(matching, mismatch)

export const Session = z
  .object({
    id: z.int(),
    name: z.string(),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    last_used_at: instant(),
    created_at: instant(),
    expires_at: instant(),
    is_current: z.boolean(),
  })
  .meta({ id: 'Session' })

/** 422 on `password`, or how the input calls it, when it doesn't keep to the platform's rules. */
export async function checkPasswordRules(ctx: BaseCtx, password: string, field = 'password') {
  const least = await platformSetting(ctx.tx, 'password_min_length')
  if (password.length < least) throw invalid({ [field]: `Must have at least ${least} characters.` })
  if ((await platformSetting(ctx.tx, 'password_require_special')) && !/[^\p{L}\p{N}]/u.test(password))
    throw invalid({ [field]: 'Must contain a character that is neither a letter nor a digit.' })
}

/** Opens a session for an account whose password (or second factor) was right. */
export async function signIn(ctx: BaseCtx, account: Account, options: { remember?: boolean; device_name?: string }) {
  const minutes = await platformSetting(ctx.tx, 'session_lifetime_minutes')
  const { token, expires_at } = await issueToken(
    ctx,
    account,
    options.device_name ?? 'session',
    options.remember ? REMEMBERED : minutes * 60,
  )
  return { token, token_type: 'Bearer' as const, expires_at }
}

/** Changes the password after checking the old one; ends the other sessions unless told not to. */
export async function changePassword(
  ctx: BaseCtx,
  account: Account,
  currentToken: number,
  body: z.output<typeof ChangePassword>,
) {
  const { password_hash } = await readAccount(ctx, account)
  if (!(await verifyPassword(body.old_password, password_hash)))
    throw invalid({ old_password: 'This is not your present password.' })
  await checkPasswordRules(ctx, body.password)
  await setPassword(ctx, account, body.password)
  if (body.revoke_other_sessions) await revokeTokens(ctx, account, { except: currentToken })
}

/** The account's live sessions, the last used first. */
export async function sessionsOf(ctx: BaseCtx, account: Account, currentToken: number) {
  const rows = await ctx.tx
    .selectFrom('access_tokens')
    .select(['id', 'name', 'ip', 'user_agent', 'last_used_at', 'created_at', 'expires_at'])
    .where('tenant_id', account.tenant_id === null ? 'is' : '=', account.tenant_id)
    .where('user_id', '=', account.user_id)
    .where('expires_at', '>', ctx.now)
    .orderBy('last_used_at', 'desc')
    .execute()
  return rows.map((row) => ({ ...row, is_current: row.id === currentToken }))
}

/** Ends one of the account's sessions; 404 when it isn't theirs. */
export async function endSession(ctx: BaseCtx, account: Account, id: number) {
  if (!(await revokeTokens(ctx, account, { only: id }))) throw notFound('There is no such session.')
}

const links: Record<Exclude<Purpose, 'set-up'>, { subject: string; says: string; label: string; lasts: number; path: string }> = {
  'verify-email': {
    subject: 'Verify your e-mail address',
    says: 'Please confirm that this address is yours.',
    label: 'Verify',
    lasts: 3 * DAY,
    path: 'verify-email',
  },
  'reset-password': {
    subject: 'Reset your password',
    says: 'Somebody asked to reset your password. If it was not you, ignore this mail.',
    label: 'Choose a new password',
    lasts: HOUR,
    path: 'reset-password',
  },
  invitation: {
    subject: 'You are invited',
    says: 'An account was made for you. Choose a password to begin.',
    label: 'Accept the invitation',
    lasts: 7 * DAY,
    path: 'invite',
  },
}

/** Mails a one-time link. Pages that open it take the token from the address. */
export async function mailLink(
  ctx: BaseCtx,
  account: Account,
  purpose: keyof typeof links,
  to: { name: string; email: string; from: string },
) {
  const { subject, says, label, lasts, path } = links[purpose]
  const token = await issueOneTimeToken(ctx, account, purpose, lasts)
  const surface = account.tenant_id === null ? 'platform' : 'app'
  const url = `${ctx.services.config.BASE_URL}/${surface}/${path}/${token}`
  const bodies = letter({ from: to.from, paragraphs: [`Hello ${to.name},`, says], button: { label, url } })
  await sendMail(
    ctx,
    { type: `auth.${purpose.replace('-', '_')}`, to: [to.email], subject: `${subject} – ${to.from}`, ...bodies },
    account.tenant_id ?? 0,
  )
}

/** Sets a password by a mailed link; the address is proven by it too. Every session ends. 422 on `token`. */
export async function resetPassword(
  ctx: BaseCtx,
  realm: 'workspace' | 'platform',
  purposes: Purpose[],
  body: { email?: string; token: string; password: string },
) {
  await checkPasswordRules(ctx, body.password)
  const found = await redeemOneTimeToken(ctx, purposes, body.token)
  const wrong = invalid({ token: 'This link is not valid any more. Ask for a new one.' })
  if (!found || (found.tenant_id === null) !== (realm === 'platform')) throw wrong
  const account = await readAccount(ctx, found)
  if (body.email !== undefined && account.email !== body.email) throw wrong
  await setPassword(ctx, found, body.password)
  await markVerified(ctx, found)
  await revokeTokens(ctx, found)
  return found
}

export async function setPassword(ctx: BaseCtx, account: Account, password: string) {
  const password_hash = await hashPassword(password)
  await updateAccount(ctx, account, { password_hash })
}

/** Marks the address as verified, once. */
export async function markVerified(ctx: BaseCtx, account: Account) {
  const { email_verified_at } = await readAccount(ctx, account)
  if (email_verified_at === null) await updateAccount(ctx, account, { email_verified_at: ctx.now })
}

async function readAccount(ctx: BaseCtx, { tenant_id, user_id }: Account) {
  const columns = ['id', 'name', 'email', 'password_hash', 'email_verified_at'] as const
  const row =
    tenant_id === null
      ? await ctx.tx
          .selectFrom('platform_users')
          .select(columns)
          .where('id', '=', user_id)
          .where('deleted_at', 'is', null)
          .executeTakeFirst()
      : await ctx.tx
          .selectFrom('users')
          .select(columns)
          .where('tenant_id', '=', tenant_id)
          .where('id', '=', user_id)
          .where('deleted_at', 'is', null)
          .executeTakeFirst()
  if (!row) throw notFound('There is no such account.')
  return row
}

async function updateAccount(
  ctx: BaseCtx,
  { tenant_id, user_id }: Account,
  changes: { password_hash?: string; email_verified_at?: string },
) {
  const set = { ...changes, updated_at: ctx.now }
  if (tenant_id === null) await ctx.tx.updateTable('platform_users').set(set).where('id', '=', user_id).execute()
  else await ctx.tx.updateTable('users').set(set).where('tenant_id', '=', tenant_id).where('id', '=', user_id).execute()
}
