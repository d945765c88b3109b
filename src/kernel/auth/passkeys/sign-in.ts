/** Sign-in with only a passkey: it identifies the account, and its device has verified the user (AUTH-21). */
import { sql } from 'kysely'
import { z } from 'zod'
import type { BaseCtx, PublicSteps } from '../../context.ts'
import { HttpError, invalid } from '../../errors.ts'
import { text } from '../../values/fields.ts'
import { findAccount } from '../accounts.ts'
import { openSession, sessionOptions } from '../opening.ts'
import type { Realm } from '../realm.ts'
import { issueOneTimeToken, redeemOneTimeToken } from '../tokens.ts'
import { UsedCredential } from './credentials.ts'
import { relyingParty, userHandle } from './relying-party.ts'
import { OPTIONS_SECONDS, verifyUse, webauthn } from './verifying.ts'

// CEN-06
export const PasskeyLogin = z.object({
  options_token: text(200).meta({ description: 'The token that came with the options.', examples: ['Jm3rVtq0o8nWc5xYb1dKfA'] }),
  credential: UsedCredential.describe('What `navigator.credentials.get()` answered, its bytes as base64url.'),
  ...sessionOptions,
})

/** Owner of the options until a result arrives. */
const nobody = { tenant_id: null, user_id: 0 }

const refused = () => new HttpError(401, 'INVALID_CREDENTIALS', 'This passkey does not open an account.')

/** Returns the options with which a device finds its passkey for this host. */
export async function optionsToSignIn(steps: PublicSteps, realm: Realm) {
  const party = await relyingParty(steps, realm)
  const options = await (await webauthn()).generateAuthenticationOptions({
    rpID: party.rp_id,
    userVerification: 'required',
    timeout: OPTIONS_SECONDS * 1000,
  })
  const asked = { ...party, api: realm.api, challenge: options.challenge }
  const options_token = await steps.finish((ctx) =>
    issueOneTimeToken(ctx, nobody, 'passkey-sign-in', asked, { seconds: OPTIONS_SECONDS, kept: true }),
  )
  return { options_token, options: { ...options } }
}

/**
 * Signs in the owner of the passkey. Throws 422 on `options_token` if the options have expired, and 401 for every other problem
 * with the passkey.
 */
export async function signInByPasskey(steps: PublicSteps, realm: Realm, sent: z.output<typeof PasskeyLogin>) {
  const { credential } = sent
  const { asked, passkey } = await steps.write(async (ctx) => {
    const asked = (await redeemOneTimeToken(ctx, ['passkey-sign-in'], sent.options_token))?.payload
    return { asked, passkey: asked && (await findPasskey(ctx, asked.rp_id, credential.id)) }
  })
  if (asked?.api !== realm.api) throw invalid({ options_token: 'These options are over. Ask for new ones.' })
  if (!passkey || !realm.has(passkey)) throw refused()
  if (credential.response.userHandle !== userHandle(passkey).toString('base64url')) throw refused()
  const counter = await verifyUse(steps, asked, credential, passkey)
  if (counter === undefined) throw refused()
  return steps.finish(async (ctx) => {
    const account = await findAccount(ctx, passkey)
    if (!account || !(await countUse(ctx, passkey.id, counter))) throw refused()
    return openSession(ctx, realm, passkey, account, sent)
  })
}

const findPasskey = (ctx: BaseCtx, rp_id: string, credential_id: string) =>
  ctx.tx
    .selectFrom('passkeys')
    .select(['id', 'tenant_id', 'user_id', 'credential_id', 'public_key', 'counter'])
    .where('rp_id', '=', rp_id)
    .where('credential_id', '=', credential_id)
    .where('suspended_at', 'is', null)
    .executeTakeFirst()

/**
 * Stores the counter of a use. Returns false if the passkey was removed or suspended, or another use has reached the counter.
 * Devices without a counter send 0.
 */
async function countUse(ctx: BaseCtx, id: number, counter: number): Promise<boolean> {
  const { numUpdatedRows } = await ctx.tx
    .updateTable('passkeys')
    .set({ counter, last_used_at: ctx.now })
    .where('id', '=', id)
    .where('suspended_at', 'is', null)
    .where(sql<boolean>`(counter < ${counter} or (counter = 0 and ${counter} = 0))`)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
