/**
 * The address of an account. One that was proven stays until the new one is: the link to the new address makes the change, and for
 * a day a link to the old one stops it or undoes it.
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

/** Links that could set a password. */
export const settingPassword: readonly PasswordPurpose[] = ['reset-password', 'invitation', 'set-up']

export const deadLink = () => invalid({ token: 'This link is not valid any more. Ask for a new one.' })

/** Changes in a day, each of which its owner can undo. */
const MAX_CHANGES = 5

/**
 * Changes one's own address: at once as long as none was proven, else when the new one is proven. The present address takes back a
 * change that was asked for. 422 on `email` when somebody else has it.
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

/** Gives an account another address at once, which is yet to be proven. Whatever was mailed to the former one ends. */
export async function replaceEmail(ctx: BaseCtx, account: Account, before: AccountRow, email: string) {
  await updateAccount(ctx, account, { email, pending_email: null, email_verified_at: null })
  await endOneTimeTokens(ctx, account)
  await askForProof(ctx, account, { ...before, email })
}

/** Mails the link that proves an address: an invitation while there is no password, else one to verify it. `note` is added to the mail. */
export const askForProof = (
  ctx: BaseCtx,
  account: Account,
  user: Pick<AccountRow, 'name' | 'email' | 'password_hash'>,
  note?: string,
) => mailLink(ctx, account, user.password_hash === null ? 'invitation' : 'verify-email', user, note)

/** Mails the link again that proves the present or the asked-for address; nothing when there is nothing to prove. */
export async function resendProof(ctx: BaseCtx, account: Account) {
  const { name, email, pending_email, email_verified_at } = await lockAccount(ctx, account)
  if (pending_email !== null) await mailLink(ctx, account, 'verify-email', { name, email: pending_email })
  else if (email_verified_at === null) await mailLink(ctx, account, 'verify-email', { name, email })
}

/** Proves the address that the link was mailed to. 422 on `token` when it isn't the account's any more, or never was. */
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
 * Stops a change of address, or undoes it, by the link in the mail to the old one. Every session and API key ends, every link but those to
 * addresses before it, and the second factor and passkeys that were made since: whoever took the account over keeps nothing of it. Keys of
 * before end too, because one that was rotated is told to whoever did it.
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
