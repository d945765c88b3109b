/** Tests of a pool of child processes shared by workspaces: order of service under load. */
// CI stage: bounds
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { BurnOrder, Burnt } from '#test/fixtures/burning-child.ts'
import type { Death } from './child.ts'
import { childPool } from './pool.ts'

const NEIGHBOUR = 100
const limits = { seconds: 0.5, megabytes: 500 }

interface Options {
  processes?: number
  queue?: number
  queuePerWorkspace?: number
  now?: () => number
}

function poolOf({ processes = 2, queue = 100, queuePerWorkspace = 10, now }: Options = {}) {
  const pool = childPool<BurnOrder, Burnt>({
    program: new URL('../../../test/fixtures/burning-child.ts', import.meta.url),
    ...{ processes, queue, queuePerWorkspace, megabytesBetween: 500, shortSeconds: 0.2, now },
  })
  after(() => pool.stop())
  /** Callers, in the order in which their requests ended. */
  const ended: number[] = []
  const run = async (caller: number, seconds: number, bounds = limits) => {
    const outcome = await pool.run(caller, { seconds }, bounds)
    ended.push(caller)
    return outcome
  }
  return { pool, run, ended }
}
const diedOf = (outcome: Burnt | Death | undefined) => (outcome && 'died' in outcome ? outcome.died : undefined)

describe('a pool of processes', () => {
  for (const K of [1, 2, 8])
    it(`serves a cheap request before the third turn of any of ${K} workspaces with expensive ones`, async () => {
      const { run, ended } = poolOf()
      const attackers = Array.from({ length: K }, (_, n) => n + 1)
      let isOver = false
      const attack = async (caller: number) => {
        while (!isOver) assert.equal(diedOf(await run(caller, 60)), 'timed_out')
      }
      const attacks = attackers.map(attack)
      for (let n = 0; n < 2; n++) {
        const before = ended.length
        assert.deepEqual(await run(NEIGHBOUR, 0.01), { burnt: true })
        const turns = Map.groupBy(ended.slice(before), (caller) => caller)
        for (const caller of attackers) assert.ok((turns.get(caller)?.length ?? 0) < 3, `${caller}: ${ended.slice(before)}`)
      }
      isOver = true
      await Promise.all(attacks)
    })

  it('serves by time used: whoever used more waits for whoever used less', async () => {
    const { run, ended } = poolOf({ processes: 1, now: () => 0 })
    await run(1, 0.3)
    await run(2, 0.1)
    ended.length = 0
    await Promise.all([run(3, 0.01), run(1, 0.01), run(1, 0.01), run(2, 0.01), run(4, 0.01)])
    assert.deepEqual(ended, [3, 4, 2, 1, 1])
  })

  it('charges a request that only waits a sixth of its time by the clock, and counts half of it a minute later', async () => {
    let time = 0
    const { pool, run, ended } = poolOf({ processes: 1, now: () => time })
    const waiting = pool.run(1, { sleep: 0.1 }, limits)
    time = 6000
    await waiting
    await run(2, 0.3)
    ended.length = 0
    await Promise.all([run(3, 0.01), run(1, 0.01), run(2, 0.01)])
    assert.deepEqual(ended, [3, 2, 1])
    while (pool.busy) await setImmediate() // until the last request is charged
    time += 5 * 60_000
    await run(2, 0.3)
    ended.length = 0
    await Promise.all([run(3, 0.01), run(2, 0.01), run(1, 0.01)])
    assert.deepEqual(ended, [3, 1, 2])
  })

  it('charges a workspace for work under way', async () => {
    const { run, ended } = poolOf()
    const long = run(1, 60)
    await run(2, 0.01)
    await Promise.all([run(3, 0.1), run(1, 0.01), run(2, 0.01)]) // the first one takes the process for short requests
    assert.ok(ended.lastIndexOf(2) < ended.indexOf(1), String(ended))
    assert.equal(diedOf(await long), 'timed_out')
  })

  it('repeats a request that is too long for the lane of short ones, and returns its outcome', async () => {
    const { run } = poolOf()
    assert.deepEqual(await run(1, 0.4, { seconds: 10, megabytes: 500 }), { burnt: true })
    assert.equal(diedOf(await run(1, 60)), 'timed_out')
  })

  it('refuses the last request of the longest queue where a newcomer finds all places taken', async () => {
    const { run } = poolOf({ processes: 1, queue: 4 })
    const of1 = Array.from({ length: 5 }, () => run(1, 0.05)) // one runs, four wait
    const of2 = run(2, 0.01)
    assert.partialDeepStrictEqual(await of2, { burnt: true })
    assert.deepEqual(
      (await Promise.all(of1)).map((outcome) => outcome !== undefined),
      [true, true, true, true, false],
    )
  })
})

describe('a limit of time', () => {
  it('counts CPU time, and a request that only waits is not timed out by it', async () => {
    const { pool } = poolOf()
    assert.partialDeepStrictEqual(await pool.run(1, { sleep: 1.5 }, { seconds: 0.5, megabytes: 500 }), { burnt: true })
    const starved = await pool.run(1, { sleep: 60 }, { seconds: 0.5, wallSeconds: 1, megabytes: 500 })
    assert.ok(starved && 'died' in starved)
    assert.equal(starved.died, 'starved')
    assert.ok(starved.cpuSeconds < 0.5, String(starved.cpuSeconds))
  })
})
