import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isPublicAddress, SPECIAL_IPV4, SPECIAL_IPV6 } from './public-addresses.ts'

/** Returns the first and the last address of an IPv4 network, as numbers. */
function boundsOf(network: string): [number, number] {
  const [address = '', bits] = network.split('/')
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  return [first, first + 2 ** (32 - Number(bits)) - 1]
}
const dotted = (n: number) => [24, 16, 8, 0].map((shift) => Math.floor(n / 2 ** shift) % 256).join('.')
const groups = (n: number) => `${Math.floor(n / 65536).toString(16)}:${(n % 65536).toString(16)}`
const isSpecial = (n: number) => SPECIAL_IPV4.map(boundsOf).some(([first, last]) => n >= first && n <= last)

/** Notations of an IPv4 address in IPv6: compatible, mapped, translated, NAT64, 6to4 and Teredo. */
const EMBEDDINGS = [
  (n: number) => `::${groups(n)}`,
  (n: number) => `::${dotted(n)}`,
  (n: number) => `::ffff:${dotted(n)}`,
  (n: number) => `::ffff:${groups(n)}`,
  (n: number) => `::ffff:0:${groups(n)}`,
  (n: number) => `64:ff9b::${groups(n)}`,
  (n: number) => `64:ff9b:1::${groups(n)}`,
  (n: number) => `2002:${groups(n)}::1`,
  (n: number) => `2001:0:${groups(n)}::1`,
]

describe('a public address', () => {
  for (const network of SPECIAL_IPV4)
    it(`is none of ${network}, and its neighbours are public unless they are set aside too`, () => {
      const [first, last] = boundsOf(network)
      for (const inside of [first, Math.floor((first + last) / 2), last]) {
        assert.equal(isPublicAddress(dotted(inside)), false, dotted(inside))
        for (const embed of EMBEDDINGS) assert.equal(isPublicAddress(embed(inside)), false, embed(inside))
      }
      for (const beside of [first - 1, last + 1].filter((n) => n >= 0 && n < 2 ** 32))
        assert.equal(isPublicAddress(dotted(beside)), !isSpecial(beside), dotted(beside))
    })

  it('is none of IPv6 that leads to IPv4, even to a public one', () => {
    const [one] = boundsOf('8.8.8.8/32')
    assert.equal(isPublicAddress('8.8.8.8'), true)
    for (const embed of EMBEDDINGS) assert.equal(isPublicAddress(embed(one)), false, embed(one))
  })

  it('is none of the special networks of IPv6', () => {
    for (const network of [
      ...SPECIAL_IPV6,
      '::1/128',
      '::/128',
      '100::/64',
      '100:0:0:1::/64',
      '5f00::/16',
      'fc00::/7',
      'fe80::/10',
      'fec0::/10',
      'ff00::/8',
    ]) {
      const [address = ''] = network.split('/')
      assert.equal(isPublicAddress(address), false, network)
      assert.equal(isPublicAddress(address === '::1' ? address : `${address.replace(/::$/, '')}::7f00:1`), false, network)
    }
    for (const local of ['fe80::1%eth0', 'fd12:3456::1', '::7f00:1', 'ff02::1', 'fe80::1%1'])
      assert.equal(isPublicAddress(local), false, local)
  })

  it('is one of those that are given out, and nothing else', () => {
    for (const open of [
      '1.1.1.1',
      '192.88.98.255',
      '2606:4700:4700::1111',
      '2001:4860:4860::8888',
      '2a00:1450:4001::200e',
      '3ffe::1',
    ])
      assert.equal(isPublicAddress(open), true, open)
    for (const nothing of ['', 'localhost', '1.1.1', '4000::1', '1.1.1.1/32'])
      assert.equal(isPublicAddress(nothing), false, nothing)
  })
})
