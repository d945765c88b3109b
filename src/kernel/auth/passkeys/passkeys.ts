/** The user's own passkeys: list, add, confirm and remove, with the password (AUTH-22). */
import { z } from 'zod'
import type { Actor, BaseCtx, Steps } from '../../context.ts'
import { refuseTaken } from '../../database/violations.ts'
import { invalid, notFound } from '../../errors.ts'
import { instant, text } from '../../values/fields.ts'
import { type Account, type AccountRow, lockAccount, ownedBy, senderName } from '../accounts.ts'
import { notifyCredentialChange, passkeysSuspended } from '../credential-changes.ts'
import { GivenPassword } from '../passwords.ts'
import { provePassword } from '../proving.ts'
import type { Realm } from '../realm.ts'
import { issueOneTimeToken, redeemOneTimeToken } from '../tokens.ts'
import { NewCredential } from './credentials.ts'
import { relyingParty, userHandle } from './relying-party.ts'
import { KEYS, OPTIONS_SECONDS, verifyNew, webauthn } from './verifying.ts'

type OwnCtx = BaseCtx & { actor: Actor }

const MAX_PASSKEYS = 20

export const Passkey = z
  .object({
    id: z.int(),
    name: z.string(),
    created_at: instant(),
    last_used_at: instant().nullable(),
    suspended_at: instant().nullable().describe('Since the password was reset: it opens nothing until its owner confirms it.'),
  })
  .meta({ id: 'Passkey' })

// CEN-15
export const AddPasskey = z.object({
  password: GivenPassword,
  name: text(100).meta({ description: 'What the owner calls the passkey.', examples: ['Ann’s phone'] }),
  options_token: text(200).meta({ description: 'The token that came with the options.', examples: ['Jm3rVtq0o8nWc5xYb1dKfA'] }),
  credential: NewCredential.describe('What `navigator.credentials.create()` answered, its bytes as base64url.'),
})

const shown = ['id', 'name', 'created_at', 'last_used_at', 'suspended_at'] as const

/** Returns the account's passkeys, suspended ones too. */
export const passkeysOf = (ctx: BaseCtx, account: Account) =>
  ctx.tx.selectFrom('passkeys').select(shown).where(ownedBy(account)).orderBy('id').limit(MAX_PASSKEYS).execute()

/** Returns the options with which a device creates a passkey for this account; devices that already have one are excluded. */
export async function optionsToAdd<C extends OwnCtx>(steps: Steps<C>, realm: Realm, account: Account) {
  const party = await relyingParty(steps, realm, account)
  const { row, house, known } = await steps.write(async (ctx) => ({
    row: await lockAccount(ctx, account),
    house: await senderName(ctx, account),
    known: await ctx.tx.selectFrom('passkeys').select(['rp_id', 'credential_id']).where(ownedBy(account)).execute(),
  }))
  const options = await (await webauthn()).generateRegistrationOptions({
    rpName: house,
    rpID: party.rp_id,
    userName: row.email,
    userDisplayName: row.name,
    userID: new Uint8Array(userHandle(account)),
    timeout: OPTIONS_SECONDS * 1000,
    attestationType: 'none',
    supportedAlgorithmIDs: KEYS,
    excludeCredentials: known.filter(({ rp_id }) => rp_id === party.rp_id).map(({ credential_id }) => ({ id: credential_id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  const asked = { ...party, api: realm.api, challenge: options.challenge }
  const options_token = await steps.finish((ctx) =>
    issueOneTimeToken(ctx, account, 'passkey-registration', asked, { seconds: OPTIONS_SECONDS }),
  )
  return { options_token, options: { ...options } }
}

/**
 * Stores a new passkey. Throws 422 on `options_token` if the options have expired, and on `credential` if it doesn't match them.
 */
export async function addPasskey<C extends OwnCtx>(steps: Steps<C>, account: Account, sent: z.output<typeof AddPasskey>) {
  const proven = await provePassword(steps, account, sent.password)
  const asked = await steps.write((ctx) => redeemOneTimeToken(ctx, ['passkey-registration'], sent.options_token))
  if (asked?.tenant_id !== account.tenant_id || asked.user_id !== account.user_id)
    throw invalid({ options_token: 'These options are over. Ask for new ones.' })
  const made = await verifyNew(steps, asked.payload, sent.credential)
  if (!made) throw invalid({ credential: 'This is not the passkey that was asked for.' })
  return steps.finish(async (ctx) => {
    await proven(ctx)
    if ((await passkeysOf(ctx, account)).length >= MAX_PASSKEYS)
      throw invalid({ credential: `An account has ${MAX_PASSKEYS} passkeys at most. Remove one first.` })
    const passkey = await ctx.tx
      .insertInto('passkeys')
      .values({ ...account, ...made, name: sent.name, rp_id: asked.payload.rp_id, created_at: ctx.now })
      .returning(shown)
      .executeTakeFirstOrThrow()
      .catch(refuseTaken({ passkeys_credential: { credential: 'This passkey is known already.' } }))
    await notifyCredentialChange(ctx, account, 'passkey_added', { passkey_id: passkey.id, name: passkey.name })
    return passkey
  })
}

const none = () => notFound('There is no such passkey.')

/** Returns one of the account's passkeys; throws 404 for others. */
export async function ownPasskey(ctx: BaseCtx, account: Account, id: number) {
  const found = (await passkeysOf(ctx, account)).find((passkey) => passkey.id === id)
  if (!found) throw none()
  return found
}

/** Removes a passkey, after checking the password. */
export async function removePasskey<C extends OwnCtx>(steps: Steps<C>, account: Account, id: number, password: string) {
  const proven = await provePassword(steps, account, password)
  await steps.finish(async (ctx) => {
    await proven(ctx)
    const { numDeletedRows } = await ctx.tx
      .deleteFrom('passkeys')
      .where(ownedBy(account))
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    if (!numDeletedRows) throw none()
    await notifyCredentialChange(ctx, account, 'passkey_removed', { passkey_id: id })
  })
}

/**
 * Suspends all passkeys, because someone else may have added them: only the owner can recognise their own. Notifies the owner by
 * mail, and returns the newly suspended ones.
 */
export async function suspendPasskeys(ctx: BaseCtx, account: Account, owner: Pick<AccountRow, 'name' | 'email'>) {
  const suspended = await ctx.tx
    .updateTable('passkeys')
    .set({ suspended_at: ctx.now })
    .where(ownedBy(account))
    .where('suspended_at', 'is', null)
    .returning(shown)
    .execute()
  if (suspended.length) await passkeysSuspended(ctx, account, owner, suspended)
  return suspended
}

/** Reactivates a suspended passkey, after checking the password. */
export async function confirmPasskey<C extends OwnCtx>(steps: Steps<C>, account: Account, id: number, password: string) {
  const proven = await provePassword(steps, account, password)
  return steps.finish(async (ctx) => {
    await proven(ctx)
    const before = await ownPasskey(ctx, account, id)
    if (before.suspended_at === null) return before
    await ctx.tx.updateTable('passkeys').set({ suspended_at: null }).where(ownedBy(account)).where('id', '=', id).execute()
    await notifyCredentialChange(ctx, account, 'passkey_confirmed', { passkey_id: id, name: before.name })
    return { ...before, suspended_at: null }
  })
}

/** Removes all passkeys, or those added after an instant. */
export async function removePasskeys(ctx: BaseCtx, account: Account, after?: string) {
  let query = ctx.tx.deleteFrom('passkeys').where(ownedBy(account))
  if (after) query = query.where('created_at', '>', after)
  await query.execute()
}
