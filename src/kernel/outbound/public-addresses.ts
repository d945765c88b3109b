/** Which addresses are of the public internet: what no registry of IANA sets aside, as of November 2026. */
import { isIPv4, isIPv6 } from 'node:net'
import { isIn, networksOf } from '../networks.ts'

/**
 * IANA's special-purpose registry of IPv4, multicast and the reserved block. Those that it calls globally reachable (anycast of AS112 and AMT) are no
 * servers of anybody's either.
 */
export const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, metadata of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]

/** The one block of IPv6 from which public addresses are given out. All others are set aside: those that hold an address of IPv4 too. */
const GLOBAL_UNICAST = '2000::/3'
/** What IANA's special-purpose registry of IPv6 has in that block. */
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
 * Whether an address is of the public internet: neither this machine, nor its network, nor a reserved one. Addresses of IPv6 that lead to one of
 * IPv4 (mapped, compatible, NAT64, 6to4, Teredo) are not, whichever it is: who has that writes it as such.
 */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*/, '')
  if (isIPv6(plain)) return isIn(unicast, plain) && !isIn(six, plain)
  return isIPv4(plain) && !isIn(four, plain)
}
