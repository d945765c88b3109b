/** The relying party of WebAuthn: the host for which a passkey is made, and the one origin at which it may be used. */
import { inPublic, type Origin } from '../../context.ts'
import { sha256 } from '../../secrets/secrets.ts'
import type { Account } from '../accounts.ts'
import type { Realm } from '../realm.ts'

declare module '../tokens.ts' {
  interface TokenPurposes {
    'passkey-registration': PasskeyOptions
    'passkey-sign-in': PasskeyOptions
  }
}

export interface RelyingParty {
  rp_id: string
  origin: string
}

/** What the options asked for, kept until the answer comes. */
export interface PasskeyOptions extends RelyingParty {
  api: Realm['api']
  challenge: string
}

/** The host by which a workspace is reached, else that of BASE_URL; of an account, only its own workspace's. Not in a transaction. */
export async function relyingParty(origin: Origin, realm: Realm, account?: Account): Promise<RelyingParty> {
  const url = new URL(origin.services.config.BASE_URL)
  const own = await inPublic(origin, 'read', async (ctx) => realm.ownHost?.(ctx))
  if (own && (!account || own.tenant_id === account.tenant_id)) url.hostname = own.host
  return { rp_id: url.hostname, origin: url.origin }
}

/** The name by which passkeys know an account: the same for each of its passkeys, and nothing about who it is. */
export const userHandle = ({ tenant_id, user_id }: Account): Buffer =>
  sha256(`passkeys of ${tenant_id ?? 'the platform'}, ${user_id}`)
