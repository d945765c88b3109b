/** WebAuthn relying party: the host for which a passkey is created, and the only origin at which it can be used. */
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

/** Host and origin of a relying party. */
export interface RelyingParty {
  rp_id: string
  origin: string
}

/** Values of the options, stored until the browser's result arrives. */
export interface PasskeyOptions extends RelyingParty {
  api: Realm['api']
  challenge: string
}

/**
 * Returns the workspace's own host if the request came by it, else the host of BASE_URL. For an account, only its own workspace's
 * host counts. Must be called outside a transaction.
 */
export async function relyingParty(origin: Origin, realm: Realm, account?: Account): Promise<RelyingParty> {
  const url = new URL(origin.services.config.BASE_URL)
  const own = await inPublic(origin, 'read', async (ctx) => realm.ownHost?.(ctx))
  if (own && (!account || own.tenant_id === account.tenant_id)) url.hostname = own.host
  return { rp_id: url.hostname, origin: url.origin }
}

/** User handle of an account: the same for all of its passkeys, and without personal data. */
export const userHandle = ({ tenant_id, user_id }: Account): Buffer =>
  sha256(`passkeys of ${tenant_id ?? 'the platform'}, ${user_id}`)
