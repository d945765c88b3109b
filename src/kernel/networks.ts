/** Parses IP addresses and networks in text form: `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`. */
import { BlockList, isIP, isIPv6 } from 'node:net'

/** Returns whether a text is an IP address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  return more.length === 0 && most > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
}

/** Returns a block list of these networks. */
export function networksOf(texts: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of texts) {
    const [address, bits] = text.split('/') as [string, string?]
    const isSix = isIPv6(address)
    list.addSubnet(address, Number(bits ?? (isSix ? 128 : 32)), isSix ? 'ipv6' : 'ipv4')
  }
  return list
}

/** Returns whether an address is in one of these networks; false if the text isn't an address. */
export const isIn = (networks: BlockList, address: string): boolean =>
  isIP(address) > 0 && networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

/** Returns an address in plain form: IPv4-mapped IPv6 as IPv4, and without a zone. */
export const plainAddress = (ip: string) => ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*/, '')

/**
 * Returns the network around an address with a prefix of `bits`, a multiple of 8; an IPv4 address itself with 32. Undefined if
 * the text isn't an address.
 */
export function networkAround(ip: string, bits: { four: 8 | 16 | 24 | 32; six: 32 | 48 | 56 | 64 }): string | undefined {
  const address = plainAddress(ip)
  if (!isIP(address)) return undefined
  if (!isIPv6(address)) {
    if (bits.four === 32) return address
    const kept = address.split('.').slice(0, bits.four / 8)
    return `${[...kept, ...Array(4 - kept.length).fill(0)].join('.')}/${bits.four}`
  }
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const groups = [...head, ...Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail]
  const kept = groups.slice(0, Math.ceil(bits.six / 16)).map((group) => Number.parseInt(group, 16))
  if (bits.six % 16) kept.push(kept.pop()! & 0xff00)
  return `${kept.map((group) => group.toString(16)).join(':')}::/${bits.six}`
}
