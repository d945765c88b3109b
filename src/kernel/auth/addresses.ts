/**
 * Changes of an account's e-mail address. A verified address stays until the new one is verified: the link sent to the new
 * address makes the change, and for a day a link sent to the old one cancels or undoes it.
 */
import type { BaseCtx, PublicCtx } from '../context.ts'
import { invalid } from '../errors.ts'
import { type Account, type AccountRow, isTaken, lockAccount, takenEmail, updateAccount } from './accounts.ts'
import { revokeKeys } from './keys/keys.ts'
import { mailLink } from './links.ts'
import { removePasskeys } from './passkeys/passkeys.ts'
import type { Realm } from './realm.ts'
import { endOneTimeTokens, liveOneTimeTokens, type PasswordPurpose, redeemOneTimeToken, revokeTokens } from './tokens.ts'
import { removeFactor } from './two-factor/factor.ts'

/** Purposes of links that can set a password. */
export const settingPassword: readonly PasswordPurpose[] = ['reset-password', 'invitation', 'set-up']

/** Error for a mailed link that is unknown, used or expired. */
export const deadLink = () => invalid({ token: 'This link is not valid any more. Ask for a new one.' })

/** Maximum number of address changes per day; the owner can undo each of them. */
const MAX_CHANGES = 5

/**
 * Changes the user's own address: immediately if the present one isn't verified, otherwise once the new one is verified. Setting
 * the present address cancels a pending change. Throws 422 on `email` if another account has it.
 */
export async function changeOwnEmail(ctx: BaseCtx, account: Account, before: AccountRow, email: string) {
  if (email === before.email) {
    if (before.pending_email !== null) await dropPending(ctx, account)
    return
  }
  if (before.email_verified_at === null) return replaceEmail(ctx, account, before, email)
  if (await isTaken(ctx, account, email))
    throw invalid(takenEmail[account.tenant_id === null ? 'platform_users_email' : 'users_email'])
  if ((await liveOneTimeTokens(ctx, account, 'cancel-email-change')) >= MAX_CHANGES)
    throw invalid({ email: 'This address was changed too often within a day. Try again tomorrow.' })
  await updateAccount(ctx, account, { pending_email: email })
  await mailLink(ctx, account, 'verify-email', { name: before.name, email })
  await mailLink(ctx, account, 'cancel-email-change', before)
}

/** Gives an account another, unverified address immediately. All links mailed to the former address become invalid. */
export async function replaceEmail(ctx: BaseCtx, account: Account, before: AccountRow, email: string) {
  await updateAccount(ctx, account, { email, pending_email: null, email_verified_at: null })
  await endOneTimeTokens(ctx, account)
  await askForProof(ctx, account, { ...before, email })
}

/**
 * Mails the link that verifies an address: an invitation if the account has no password yet, else a verification. `note` is added
 * to the mail.
 */
export const askForProof = (
  ctx: BaseCtx,
  account: Account,
  user: Pick<AccountRow, 'name' | 'email' | 'password_hash'>,
  note?: string,
) => mailLink(ctx, account, user.password_hash === null ? 'invitation' : 'verify-email', user, note)

/** Mails the link again that verifies the pending or the present address. Does nothing if neither needs verification. */
export async function resendProof(ctx: BaseCtx, account: Account) {
  const { name, email, pending_email, email_verified_at } = await lockAccount(ctx, account)
  if (pending_email !== null) await mailLink(ctx, account, 'verify-email', { name, email: pending_email })
  else if (email_verified_at === null) await mailLink(ctx, account, 'verify-email', { name, email })
}

/**
 * Verifies the address to which the link was mailed. Throws 422 on `token` if the account no longer has or requests that address.
 */
export async function verifyEmail(ctx: PublicCtx, realm: Realm, token: string) {
  const found = await redeemOneTimeToken(ctx, ['verify-email'], token)
  if (!found || !realm.has(found)) throw deadLink()
  const account = await lockAccount(ctx, found)
  const { email } = found.payload
  if (email === account.email) return markVerified(ctx, found, account)
  if (email !== account.pending_email) throw deadLink()
  await endOneTimeTokens(ctx, found, settingPassword)
  await updateAccount(ctx, found, { email, pending_email: null, email_verified_at: ctx.now })
}

/** Marks the address as verified, once. */
export async function markVerified(ctx: BaseCtx, account: Account, before?: AccountRow) {
  const { email_verified_at } = before ?? (await lockAccount(ctx, account))
  if (email_verified_at === null) await updateAccount(ctx, account, { email_verified_at: ctx.now })
}

/**
 * Cancels or undoes a change of address, by the link mailed to the old one. Ends all sessions, API keys and links, except links
 * that restore even earlier addresses. Removes second factors and passkeys added since the change. So an attacker who took over
 * the account loses all access. Older API keys end too, because an attacker who rotated one has its secret.
 */
export async function cancelEmailChange(ctx: PublicCtx, realm: Realm, token: string) {
  const found = await redeemOneTimeToken(ctx, ['cancel-email-change'], token)
  if (!found || !realm.has(found)) throw deadLink()
  await lockAccount(ctx, found)
  await updateAccount(ctx, found, { email: found.payload.email, pending_email: null, email_verified_at: ctx.now })
  await revokeTokens(ctx, found)
  await revokeKeys(ctx, found)
  await endOneTimeTokens(ctx, found, [...settingPassword, 'verify-email', 'two-factor', 'passkey-registration'])
  await endOneTimeTokens(ctx, found, ['cancel-email-change'], found.created_at)
  await removeFactor(ctx, found, found.created_at)
  await removePasskeys(ctx, found, found.created_at)
}

async function dropPending(ctx: BaseCtx, account: Account) {
  await updateAccount(ctx, account, { pending_email: null })
  await endOneTimeTokens(ctx, account, ['verify-email'])
}
