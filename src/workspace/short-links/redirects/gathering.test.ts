/** Records the batches of look-ups, so that a test can answer each. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { gathering } from './gathering.ts'

function observed() {
  const batches: (PromiseWithResolvers<Map<number, string>> & { keys: number[] })[] = []
  const ask = gathering((keys: number[]) => {
    const batch = { keys, ...Promise.withResolvers<Map<number, string>>() }
    batches.push(batch)
    return batch.promise
  })
  const answer = (n: number) => batches[n]!.resolve(new Map(batches[n]!.keys.map((key) => [key, `the ${key}`])))
  return { batches, ask, answer }
}

describe('gathered look-ups', () => {
  it('leave together, and what comes meanwhile with the next', async () => {
    const { batches, ask, answer } = observed()
    const first = [ask(1), ask(2)]
    await turn()
    const second = ask(3)
    await turn()
    const third = [ask(4), ask(5)]
    await turn()
    assert.deepEqual(
      batches.map(({ keys }) => keys),
      [[1, 2], [3]],
    )
    answer(0)
    assert.deepEqual(await Promise.all(first), ['the 1', 'the 2'])
    await turn()
    assert.deepEqual(batches[2]?.keys, [4, 5])
    answer(2)
    answer(1)
    assert.deepEqual(await Promise.all([second, ...third]), ['the 3', 'the 4', 'the 5'])
  })

  it('answer nothing for what isn’t known', async () => {
    const { batches, ask } = observed()
    const asked = ask(1)
    await turn()
    batches[0]!.resolve(new Map())
    assert.equal(await asked, undefined)
  })

  it('fail for those who asked together, and not for whoever asks next', async () => {
    const { batches, ask, answer } = observed()
    const failing = Promise.allSettled([ask(1), ask(2)])
    await turn()
    batches[0]!.reject(new Error('unreachable'))
    assert.deepEqual(
      (await failing).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    const next = ask(3)
    await turn()
    answer(1)
    assert.equal(await next, 'the 3')
  })

  it('are bounded', async () => {
    const { batches, ask, answer } = observed()
    const all = Array.from({ length: 1200 }, (_, key) => ask(key))
    for (let n = 0; n < 3; n++) {
      await turn()
      answer(n)
    }
    assert.equal(new Set(await Promise.all(all)).size, 1200)
    assert.deepEqual(
      batches.map(({ keys }) => keys.length),
      [500, 500, 200],
    )
  })
})
