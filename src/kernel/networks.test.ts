import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isIn, isNetwork, networkAround, networksOf, plainAddress } from './networks.ts'

describe('networks', () => {
  it('are addresses and CIDR, and nothing else', () => {
    for (const right of ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1', '0.0.0.0/0']) assert.ok(isNetwork(right), right)
    for (const wrong of [
      '',
      'here',
      '10.0.0.0/33',
      '::/129',
      '10.0.0.0/8/8',
      '10.0.0/8',
      '10.0.0.0/',
      '10.0.0.0/-1',
      '1.2.3.4/1e1',
    ])
      assert.ok(!isNetwork(wrong), wrong)
  })

  it('hold addresses', () => {
    const networks = networksOf(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'])
    for (const inside of ['10.255.0.1', '2001:db8:1::5', '192.0.2.7']) assert.ok(isIn(networks, inside), inside)
    for (const outside of ['11.0.0.1', '2001:db9::1', '192.0.2.8', 'unknown', '']) assert.ok(!isIn(networks, outside), outside)
  })

  it('lie around an address, however it is written', () => {
    const around = (ip: string) => networkAround(ip, { four: 24, six: 48 })
    assert.equal(around('198.51.100.7'), '198.51.100.0/24')
    assert.equal(around('::ffff:198.51.100.7'), '198.51.100.0/24')
    assert.equal(around('2001:db8:7:8::1'), '2001:db8:7::/48')
    assert.equal(around('fe80::1%eth0'), 'fe80:0:0::/48')
    assert.equal(around('::1'), '0:0:0::/48')
    assert.equal(around('unknown'), undefined)
    assert.equal(networkAround('198.51.100.7', { four: 32, six: 56 }), '198.51.100.7')
    assert.equal(networkAround('2001:db8:0:abcd:1::', { four: 32, six: 56 }), '2001:db8:0:ab00::/56')
    assert.equal(plainAddress('::ffff:192.0.2.1'), '192.0.2.1')
  })
})
