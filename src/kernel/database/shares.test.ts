/** Queueing for the connection pool. */
// Also in CI: debian
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpError } from '../errors.ts'
import { connectionShares, type Share } from './shares.ts'

const shares = (size = 16, waitMs = 5000) => connectionShares({ size, waitMs })
type Shares = ReturnType<typeof shares>

/** Requests connections; returns the release functions of those granted immediately. */
async function take(of: Shares, share: Share, times: number) {
  const held: (() => void)[] = []
  for (let n = 0; n < times; n++)
    of.acquire(share).then(
      (giveBack) => held.push(giveBack),
      () => {},
    )
  await sleep(0)
  return held
}

describe('connections', () => {
  it('are held by a workspace up to half of the pool, by a user up to a quarter', async () => {
    const one = shares()
    assert.equal((await take(one, { group: 1, user: 7 }, 40)).length, 4)
    assert.equal((await take(one, { group: 1, user: 8 }, 40)).length, 4)
    assert.equal((await take(one, { group: 1, user: 9 }, 1)).length, 0)
    assert.equal((await take(one, { group: 2, user: 7 }, 1)).length, 1)
  })

  it('are there for a workspace that has none while others do their worst', async () => {
    const one = shares()
    for (const group of [1, 2, 3]) await take(one, { group }, 100)
    assert.equal((await take(one, { group: 4 }, 5)).length, 2)
  })

  it('are handed on to whoever waits, groups in turn', async () => {
    const one = shares(2)
    const [first, second] = await take(one, { group: 1 }, 2)
    const order: number[] = []
    const wait = async (group: number) => {
      const giveBack = await one.acquire({ group })
      order.push(group)
      await sleep(1)
      giveBack()
    }
    const all = [wait(1), wait(1), wait(1), wait(2), wait(3), wait(2)]
    first!()
    second!()
    await Promise.all(all)
    assert.deepEqual(order, [1, 2, 3, 1, 2, 1])
    assert.equal(one.waiting, 0)
  })

  it('pass over a user whose share is used up', async () => {
    const one = shares()
    await take(one, { group: 1, user: 7 }, 10)
    assert.equal((await take(one, { group: 1, user: 8 }, 1)).length, 1)
  })

  it('that nobody gives back are a 503 in time, and so are too many who wait', async () => {
    const one = shares(4, 50)
    await take(one, { group: 1 }, 2)
    const isBusy = (error: unknown) =>
      error instanceof HttpError &&
      error.status === 503 &&
      error.code === 'DATABASE_BUSY' &&
      Boolean(error.headers?.['retry-after'])
    await assert.rejects(one.acquire({ group: 1 }), isBusy)
    const waiting = Array.from({ length: 201 }, () => one.acquire({ group: 1, user: 7 }))
    const outcomes = await Promise.race([
      Promise.any(
        waiting.map((each) =>
          each.then(
            () => 'taken',
            (error) => error,
          ),
        ),
      ),
    ])
    assert.ok(isBusy(outcomes))
    await Promise.allSettled(waiting)
    assert.equal(one.waiting, 0)
  })

  it('given back twice count once', async () => {
    const one = shares(2)
    const [first] = await take(one, { group: 1 }, 2)
    first!()
    first!()
    assert.equal((await take(one, { group: 1 }, 5)).length, 1)
  })
})
