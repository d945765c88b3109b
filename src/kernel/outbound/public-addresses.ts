/** Decides which IP addresses are public: all that IANA's registries don't reserve, as of November 2026. */
import { isIPv4, isIPv6 } from 'node:net'
import { isIn, networksOf } from '../networks.ts'

/**
 * IANA's special-purpose registry of IPv4, multicast and the reserved block. Includes entries marked globally reachable (anycast
 * of AS112 and AMT), because no one's servers are there.
 */
export const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]

/** Only IPv6 block for public addresses. All others are reserved, including those that embed an IPv4 address. */
const GLOBAL_UNICAST = '2000::/3'
/** Entries of IANA's IPv6 special-purpose registry within that block. */
export const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]

const four = networksOf(SPECIAL_IPV4)
const six = networksOf(SPECIAL_IPV6)
const unicast = networksOf([GLOBAL_UNICAST])

/**
 * Returns whether an address is on the public internet: not this machine, an internal network or a reserved one. IPv6 addresses
 * that embed an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) never are: legitimate callers write the IPv4 address
 * itself.
 */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*/, '')
  if (isIPv6(plain)) return isIn(unicast, plain) && !isIn(six, plain)
  return isIPv4(plain) && !isIn(four, plain)
}
