/** Sign-in and passwords. Passwords are verified and hashed between transactions, never within one. */
import { z } from 'zod'
import type { BaseCtx, PublicCtx, PublicSteps, Steps } from '../context.ts'
import { HttpError, invalid } from '../errors.ts'
import { email, text } from '../values/fields.ts'
import { type Account, type AccountRow, findAccount, renewHash, updateAccount } from './accounts.ts'
import { deadLink, markVerified, settingPassword } from './addresses.ts'
import { openSession, refuseEntry, sessionOptions } from './opening.ts'
import { Passkey, suspendPasskeys } from './passkeys/passkeys.ts'
import {
  checkPasswordRules,
  confirmed,
  GivenPassword,
  hashPassword,
  isCheap,
  mismatch,
  newPassword,
  verifyAmong,
} from './passwords.ts'
import { provePassword } from './proving.ts'
import type { Realm } from './realm.ts'
import { endOneTimeTokens, type PasswordPurpose, readOneTimeToken, redeemOneTimeToken, revokeTokens } from './tokens.ts'
import { challenge } from './two-factor/challenge.ts'
import { factorStatus } from './two-factor/factor.ts'

/** Schema of the workspace in a sign-in request. */
export const workspaceName = z
  .string()
  .max(100)
  .optional()
  .meta({
    description: 'Slug of the workspace to sign in to. Needed where the address and password fit several.',
    examples: ['nordwind'],
  })

export const Login = z.object({
  email: email(),
  password: GivenPassword,
  workspace: workspaceName,
  ...sessionOptions,
})

function refuseLogin(): never {
  throw new HttpError(401, 'INVALID_CREDENTIALS', 'The e-mail address or the password is not right.')
}

/**
 * Signs a user in, or returns the challenge of their second factor. If no workspace is given, only accounts with a verified
 * address count.
 * Throws 401 for every wrong combination, after the same work for one, several or no candidates. Throws 422 on `workspace` if
 * several accounts have this password, with their workspaces in `data.workspaces`. A hash with a lower cost than today's is
 * renewed. If a concurrent sign-in has just renewed it, the sign-in is tried once more.
 */
export async function login(steps: PublicSteps, realm: Realm, sent: z.output<typeof Login>) {
  return (await tryLogin(steps, realm, sent)) ?? (await tryLogin(steps, realm, sent)) ?? refuseLogin()
}

/** Returns undefined if the account's hash changed while its password was verified. */
async function tryLogin(steps: PublicSteps, realm: Realm, sent: z.output<typeof Login>) {
  const { named, candidates } = await steps.read(async (ctx) => {
    const workspace = await realm.workspaceOf(ctx, sent)
    const named = workspace !== undefined
    return { named, candidates: await realm.candidates(ctx, { email: sent.email, workspace, proven: !named }) }
  })
  const hashes = candidates.map((candidate) => candidate.password_hash)
  const fits = await verifyAmong(sent.password, hashes, named ? 1 : realm.mostCandidates)
  const [found, ...more] = candidates.filter((_, n) => fits[n])
  if (!found) return refuseLogin()
  if (more.length) {
    const workspaces = [found, ...more].flatMap(({ workspace }) => workspace ?? [])
    throw invalid({ workspace: 'Several workspaces know this address. Say which one by its slug.' }, { data: { workspaces } })
  }
  const renewed = await renewedHash(sent.password, found.password_hash)
  return steps.finish(async (ctx) => {
    const account = await findAccount(ctx, found)
    if (!account) return refuseLogin()
    if (account.password_hash !== found.password_hash) return undefined
    if (renewed) await renewHash(ctx, found, renewed)
    if ((await factorStatus(ctx, found)).enabled) {
      await refuseEntry(ctx, realm, found, account)
      return challenge(ctx, found, { remember: sent.remember, device_name: sent.device_name })
    }
    return openSession(ctx, realm, found, account, sent)
  })
}

/**
 * Returns a hash with today's cost if the present one is cheaper. Hashing is queued; if it fails, the next sign-in renews the
 * hash.
 */
async function renewedHash(password: string, hash: string | null) {
  if (hash === null || !isCheap(hash)) return undefined
  return hashPassword(password).catch(() => undefined)
}

/** Token in a mailed link. */
export const mailedToken = text(200).meta({
  description: 'What the mailed link carries as `token`. It can be used once.',
  examples: ['Jm3rVtq0o8nWc5xYb1dKfA'],
})

/** Bodies of requests with a mailed link, which alone authenticates the account. */
export const AcceptInvitation = z.object({ token: mailedToken, ...newPassword }).refine(confirmed, mismatch)
export const ResetPassword = z.object({ email: email(), token: mailedToken, ...newPassword }).refine(confirmed, mismatch)

interface ByLink {
  email?: string
  token: string
  password: string
}

/** Reply to a password reset. */
export const PasswordReset = z.object({
  suspended_passkeys: z.array(Passkey).describe('They open nothing until their owner confirms them.'),
})

/**
 * Sets a password with a mailed link, which also verifies the address. Ends all sessions and suspends passkeys. Throws 422 on
 * `token`.
 */
export const resetPassword = (steps: PublicSteps, realm: Realm, purposes: readonly PasswordPurpose[], sent: ByLink) =>
  byLink(steps, realm, purposes, sent, async (_, { suspended_passkeys }) => ({ suspended_passkeys }))

/** Sets the first password with a mailed invitation; opens a session if the realm wants it. */
export const acceptInvitation = (steps: PublicSteps, realm: Realm, sent: ByLink) =>
  byLink(steps, realm, realm.invitations, sent, async (ctx, { account, row }) =>
    realm.invitationSignsIn ? openSession(ctx, realm, account, row, {}) : undefined,
  )

async function byLink<T>(
  steps: PublicSteps,
  realm: Realm,
  purposes: readonly PasswordPurpose[],
  { email, token, password }: ByLink,
  then: (ctx: PublicCtx, set: { account: Account; row: AccountRow } & z.input<typeof PasswordReset>) => Promise<T>,
): Promise<T> {
  await steps.read(async (ctx) => {
    await checkPasswordRules(ctx, password)
    if (!(await readOneTimeToken(ctx, purposes, token))) throw deadLink()
  })
  const password_hash = await hashPassword(password)
  return steps.finish(async (ctx) => {
    const found = await redeemOneTimeToken(ctx, purposes, token)
    if (!found || !realm.has(found)) throw deadLink()
    const row = await findAccount(ctx, found)
    if (row?.email !== found.payload.email || (email !== undefined && email !== row.email)) throw deadLink()
    await updateAccount(ctx, found, { pending_email: null }) // someone else may have requested another address
    const suspended_passkeys = await replacePassword(ctx, found, row, password_hash)
    await markVerified(ctx, found, row)
    return then(ctx, { account: found, row, suspended_passkeys })
  })
}

export const ChangePassword = z
  .object({
    old_password: z
      .string()
      .max(200)
      .meta({ description: 'The password until now.', examples: ['nine green bottles'] }),
    ...newPassword,
    revoke_other_sessions: z.boolean().describe('Whether all sessions but this one end.').default(true),
  })
  .refine(confirmed, mismatch)

/**
 * Changes the user's own password after checking the old one; ends the other sessions unless `revoke_other_sessions` is false.
 * Throws 422 on `old_password`.
 */
export async function changePassword<C extends BaseCtx>(
  steps: Steps<C>,
  account: Account,
  currentToken: number,
  sent: z.output<typeof ChangePassword>,
) {
  const proven = await provePassword(steps, account, sent.old_password, 'old_password')
  await steps.read((ctx) => checkPasswordRules(ctx, sent.password))
  const password_hash = await hashPassword(sent.password)
  await steps.finish(async (ctx) => {
    await proven(ctx)
    await setPassword(ctx, account, password_hash, sent.revoke_other_sessions ? { except: currentToken } : 'keep')
  })
}

/**
 * Saves a password's hash. Ends all links that can set a password, all second-factor challenges, and the account's sessions
 * except those in `sessions`.
 */
export async function setPassword(
  ctx: BaseCtx,
  account: Account,
  password_hash: string,
  sessions: { except?: number } | 'keep' = {},
) {
  await updateAccount(ctx, account, { password_hash })
  await endOneTimeTokens(ctx, account, [...settingPassword, 'two-factor'])
  if (sessions !== 'keep') await revokeTokens(ctx, account, sessions)
}

/**
 * Saves a password's hash when the former password wasn't checked. Someone who knew the former one may have added passkeys, so
 * all are suspended. Returns the suspended passkeys.
 */
export async function replacePassword(
  ctx: BaseCtx,
  account: Account,
  owner: Pick<AccountRow, 'name' | 'email'>,
  password_hash: string,
) {
  await setPassword(ctx, account, password_hash)
  return suspendPasskeys(ctx, account, owner)
}
