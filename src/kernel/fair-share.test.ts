/** Tests of fair scheduling by time used. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { type UsageMeter, usageMeter } from './fair-share.ts'

describe('usageMeter', () => {
  let now: number
  let meter: UsageMeter

  beforeEach(() => {
    now = 0
    meter = usageMeter({ halfLife: 1000, now: () => now })
  })

  it('serves a newcomer before anybody who used time', () => {
    meter.charge(1, 5)
    meter.charge(2, 50)
    assert.equal(meter.leastUsed([2, 1, 3]), 3)
    assert.equal(meter.leastUsed([2, 1]), 1)
  })

  it('counts used time half after each half-life', () => {
    meter.charge(1, 80)
    now = 3000
    assert.equal(meter.used(1), 10)
    meter.charge(1, 6)
    assert.equal(meter.used(1), 16)
  })

  it('serves the first of those that used the same', () => {
    assert.equal(meter.leastUsed([7, 5, 6]), 7)
    assert.equal(meter.leastUsed([]), undefined)
  })

  it('remembers the heaviest users among more workspaces than it has room for', () => {
    for (let workspace = 1; workspace <= 10_001; workspace++) meter.charge(workspace, workspace)
    assert.equal(meter.used(1), 0)
    assert.equal(meter.used(10_000), 10_000)
    assert.equal(meter.used(10_001), 10_001)
  })
})
