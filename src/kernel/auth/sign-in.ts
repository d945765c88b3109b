/** Signing in, and the password that it takes: checked and hashed between transactions, never inside one. */
import { z } from 'zod'
import type { BaseCtx, PublicCtx, PublicSteps, Steps } from '../context.ts'
import { forbidden, HttpError, invalid } from '../errors.ts'
import { platformSetting } from '../modules/platform-settings.ts'
import { email, text } from '../values/fields.ts'
import { type Account, type AccountRow, findAccount, lockAccount, updateAccount } from './accounts.ts'
import { deadLink, markVerified, settingPassword } from './addresses.ts'
import {
  checkPasswordRules,
  confirmed,
  GivenPassword,
  hashPassword,
  mismatch,
  newPassword,
  verifyAmong,
  verifyPassword,
} from './passwords.ts'
import type { Realm } from './realm.ts'
import { endOneTimeTokens, issueToken, type Purpose, readOneTimeToken, redeemOneTimeToken, revokeTokens } from './tokens.ts'

export const workspaceName = z.string().max(100).optional()

export const Login = z.object({
  email: email(),
  password: GivenPassword,
  workspace: workspaceName,
  remember: z.boolean().default(false),
  device_name: z.string().trim().min(1).max(100).optional(),
})

const invalidCredentials = () => new HttpError(401, 'INVALID_CREDENTIALS', 'The e-mail address or the password is not right.')

/**
 * Signs somebody in. Where no workspace is named, only accounts with a proven address count. 401 for any wrong pair, after as much work
 * for one candidate as for several or none; 422 on `workspace` when several have this password.
 */
export async function login(steps: PublicSteps, realm: Realm, sent: z.output<typeof Login>) {
  const { named, candidates } = await steps.read(async (ctx) => {
    const workspace = await realm.workspaceOf(ctx, sent)
    const named = workspace !== undefined
    return { named, candidates: await realm.candidates(ctx, { email: sent.email, workspace, proven: !named }) }
  })
  const hashes = candidates.map((candidate) => candidate.password_hash)
  const fits = await verifyAmong(sent.password, hashes, named ? 1 : realm.mostCandidates)
  const [found, ...more] = candidates.filter((_, n) => fits[n])
  if (!found) throw invalidCredentials()
  if (more.length) throw invalid({ workspace: 'Several workspaces know this address. Say which one by its slug.' })
  return steps.finish(async (ctx) => {
    const account = await findAccount(ctx, found)
    if (account?.password_hash !== found.password_hash) throw invalidCredentials() // changed in the meantime
    return openSession(ctx, realm, found, account, sent)
  })
}

const REMEMBERED = 30 * 24 * 3600

/** Opens a session for an account that has proven who it is. 403 in a closed workspace and for a suspended user. */
async function openSession(
  ctx: PublicCtx,
  realm: Realm,
  { tenant_id, user_id }: Account,
  account: AccountRow,
  { remember, device_name: name = 'session' }: { remember?: boolean; device_name?: string },
) {
  await realm.refuse?.(ctx, { tenant_id, user_id })
  if (account.suspended_at) throw forbidden('This account is suspended.', 'USER_SUSPENDED')
  const minutes = await platformSetting(ctx, 'session_lifetime_minutes')
  const issued = await issueToken(ctx, { tenant_id, user_id }, name, remember ? REMEMBERED : minutes * 60)
  const profile = await realm.profile(ctx, { tenant_id, user_id })
  await realm.signedInto?.(ctx, { tenant_id, user_id }, { ...issued, name })
  const { token, expires_at } = issued
  return { token, token_type: 'Bearer' as const, expires_at, ...realm.greet(profile) }
}

/** By a mailed link, which alone proves the account. */
export const AcceptInvitation = z.object({ token: text(200), ...newPassword }).refine(confirmed, mismatch)
export const ResetPassword = z.object({ email: email(), token: text(200), ...newPassword }).refine(confirmed, mismatch)

interface ByLink {
  email?: string
  token: string
  password: string
}

/** Sets a password by a mailed link, which proves the address too. Every session ends. 422 on `token`. */
export const resetPassword = (steps: PublicSteps, realm: Realm, purposes: readonly Purpose[], sent: ByLink) =>
  byLink(steps, realm, purposes, sent, async () => undefined)

/** The same for the first password; signs its bearer in where the realm says so. */
export const acceptInvitation = (steps: PublicSteps, realm: Realm, sent: ByLink) =>
  byLink(steps, realm, realm.invitations, sent, async (ctx, account, row) =>
    realm.invitationSignsIn ? openSession(ctx, realm, account, row, {}) : undefined,
  )

async function byLink<T>(
  steps: PublicSteps,
  realm: Realm,
  purposes: readonly Purpose[],
  { email, token, password }: ByLink,
  then: (ctx: PublicCtx, account: Account, row: AccountRow) => Promise<T>,
): Promise<T> {
  await steps.read(async (ctx) => {
    await checkPasswordRules(ctx, password)
    if (!(await readOneTimeToken(ctx, purposes, token))) throw deadLink()
  })
  const password_hash = await hashPassword(password)
  return steps.finish(async (ctx) => {
    const found = await redeemOneTimeToken(ctx, purposes, token)
    if (!found || !realm.has(found)) throw deadLink()
    const account = await findAccount(ctx, found)
    if (account?.email !== found.payload.email || (email !== undefined && email !== account.email)) throw deadLink()
    await updateAccount(ctx, found, { pending_email: null }) // somebody else may have asked for another address
    await setPassword(ctx, found, password_hash)
    await markVerified(ctx, found, account)
    return then(ctx, found, account)
  })
}

export const ChangePassword = z
  .object({ old_password: z.string().max(200), ...newPassword, revoke_other_sessions: z.boolean().default(true) })
  .refine(confirmed, mismatch)

/** Changes one's password after checking the old one; ends the other sessions unless told not to. 422 on `old_password`. */
export async function changePassword<C extends BaseCtx>(
  steps: Steps<C>,
  account: Account,
  currentToken: number,
  sent: z.output<typeof ChangePassword>,
) {
  const wrong = () => invalid({ old_password: 'This is not your present password.' })
  const before = await steps.write((ctx) => lockAccount(ctx, account))
  if (!(await verifyPassword(sent.old_password, before.password_hash))) throw wrong()
  await steps.read((ctx) => checkPasswordRules(ctx, sent.password))
  const password_hash = await hashPassword(sent.password)
  await steps.finish(async (ctx) => {
    if ((await lockAccount(ctx, account)).password_hash !== before.password_hash) throw wrong() // changed in the meantime
    await setPassword(ctx, account, password_hash, sent.revoke_other_sessions ? { except: currentToken } : 'keep')
  })
}

/** Saves a password's hash. Every link that could set one ends, and so do the account's sessions but those that are kept. */
export async function setPassword(
  ctx: BaseCtx,
  account: Account,
  password_hash: string,
  sessions: { except?: number } | 'keep' = {},
) {
  await updateAccount(ctx, account, { password_hash })
  await endOneTimeTokens(ctx, account, settingPassword)
  if (sessions !== 'keep') await revokeTokens(ctx, account, sessions)
}
