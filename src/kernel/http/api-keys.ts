/** From where an API key is used: the networks that it is allowed, and those that were never seen. */
import { BlockList, isIP, isIPv6 } from 'node:net'
import { sql } from 'kysely'
import type { Actor, BaseCtx } from '../context.ts'
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
  const address = plain(ip)
  if (!isIP(address) || !list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
    throw keyNotAllowed(`This API key may not be used from ${address}.`)
}

function networksOf(cidrs: string[]) {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address, bits] = cidr.split('/') as [string, string?]
    const isSix = isIPv6(address)
    list.addSubnet(address, Number(bits ?? (isSix ? 128 : 32)), isSix ? 'ipv6' : 'ipv4')
  }
  return list
}

/** An IPv4 address that came by a socket of IPv6 is written as what it is. */
const plain = (ip: string) => ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*/, '')

/** The network that an address counts as: /24, of IPv6 /48. */
function networkOf(ip: string): string | undefined {
  const address = plain(ip)
  if (!isIP(address)) return undefined
  if (!isIPv6(address)) return address.replace(/\.\d+$/, '.0/24')
  const [head = '', tail] = address.split('::')
  const front = head ? head.split(':') : []
  const back = tail ? tail.split(':') : []
  const groups = [...front, ...Array(tail === undefined ? 0 : 8 - front.length - back.length).fill('0'), ...back]
  return `${groups
    .slice(0, 3)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/48`
}

/** Notes in the audit log that a key is used from a network from which it never was. In a workspace of its ctx, or on the platform. */
export async function noteNetwork(
  key: KeyFacts,
  { id, ip }: { id: number; ip: string },
  write: (work: (ctx: BaseCtx & { actor: Actor }) => Promise<void>) => Promise<void>,
) {
  const network = networkOf(ip)
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
