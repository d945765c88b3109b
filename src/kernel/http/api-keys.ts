/** Network checks of API keys: allowed networks, and audit entries for networks that are new for a key. */
import type { BlockList } from 'node:net'
import { sql } from 'kysely'
import type { Actor, BaseCtx } from '../context.ts'
import { isIn, networkAround, networksOf, plainAddress } from '../networks.ts'
import { audit } from '../tenancy/audit.ts'
import { keyNotAllowed } from '../tenancy/session.ts'
import type { KeyFacts } from './bearer-token.ts'

/** Maximum number of known networks stored per key. */
const MAX_KNOWN = 100

const lists = new WeakMap<KeyFacts, BlockList>()

/** Throws 403 KEY_NOT_ALLOWED when the key may not be used from this address. */
export function refuseNetwork(key: KeyFacts, ip: string) {
  if (!key.allowed_networks.length) return
  const list = lists.getOrInsertComputed(key, () => networksOf(key.allowed_networks))
  const address = plainAddress(ip)
  if (!isIn(list, address)) throw keyNotAllowed(`This API key may not be used from ${address}.`)
}

/**
 * Writes an audit event when a key is used from a network for the first time. `write` opens the transaction, in a workspace or on
 * the platform.
 */
export async function noteNetwork(
  key: KeyFacts,
  { id, ip }: { id: number; ip: string },
  write: (work: (ctx: BaseCtx & { actor: Actor }) => Promise<void>) => Promise<void>,
) {
  const network = networkAround(ip, { four: 24, six: 48 })
  if (!network || key.known_networks.includes(network)) return
  await write(async (ctx) => {
    // The oldest entry is dropped. `array_remove` instead of an array slice: a parameter in a slice's bounds crashes the server
    // of a cluster.
    const { rows } = await sql`
      update api_keys set known_networks = array_append(
        case when cardinality(known_networks) < ${MAX_KNOWN} then known_networks else array_remove(known_networks, known_networks[1]) end, ${network}::text)
      where id = ${id} and not known_networks @> array[${network}::text] returning id`.execute(ctx.tx)
    if (rows.length) await audit(ctx, 'api_key.new_network', { api_key_id: id, network })
  })
  key.known_networks.push(network)
}
