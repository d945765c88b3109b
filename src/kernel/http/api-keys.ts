/** From where an API key is used: the networks that it is allowed, and those that were never seen. */
import type { BlockList } from 'node:net'
import { sql } from 'kysely'
import type { Actor, BaseCtx } from '../context.ts'
import { isIn, networkAround, networksOf, plainAddress } from '../networks.ts'
import { audit } from '../tenancy/audit.ts'
import { keyNotAllowed } from '../tenancy/session.ts'
import type { KeyFacts } from './bearer-token.ts'

/** Networks that are remembered of a key at most. */
const MAX_KNOWN = 100

const lists = new WeakMap<KeyFacts, BlockList>()

/** 403 KEY_NOT_ALLOWED where the key isn't allowed to come from this address. */
export function refuseNetwork(key: KeyFacts, ip: string) {
  if (!key.allowed_networks.length) return
  const list = lists.getOrInsertComputed(key, () => networksOf(key.allowed_networks))
  const address = plainAddress(ip)
  if (!isIn(list, address)) throw keyNotAllowed(`This API key may not be used from ${address}.`)
}

/** Notes in the audit log that a key is used from a network from which it never was. In a workspace of its ctx, or on the platform. */
export async function noteNetwork(
  key: KeyFacts,
  { id, ip }: { id: number; ip: string },
  write: (work: (ctx: BaseCtx & { actor: Actor }) => Promise<void>) => Promise<void>,
) {
  const network = networkAround(ip, { four: 24, six: 48 })
  if (!network || key.known_networks.includes(network)) return
  await write(async (ctx) => {
    // The oldest makes room. No slice of the array: a value in its bounds ends a cluster's server.
    const { rows } = await sql`
      update api_keys set known_networks = array_append(
        case when cardinality(known_networks) < ${MAX_KNOWN} then known_networks else array_remove(known_networks, known_networks[1]) end, ${network}::text)
      where id = ${id} and not known_networks @> array[${network}::text] returning id`.execute(ctx.tx)
    if (rows.length) await audit(ctx, 'api_key.new_network', { api_key_id: id, network })
  })
  key.known_networks.push(network)
}
