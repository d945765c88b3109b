/** Tests of conversions on the event loop: how long they block it, and in which order they continue. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { heldDuring } from '#test/held.ts'
import { inGroups, inSlices } from './loop-slices.ts'

/** Uses the given CPU time of this thread, in milliseconds. */
function burn(ms: number) {
  const before = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(before)
    if ((user + system) / 1000 >= ms) return
  }
}

describe('conversions in slices', () => {
  it('return what each item becomes, in order', async () => {
    assert.deepEqual(await inSlices(1, [1, 2, 3], (n) => n * 2), [2, 4, 6])
    assert.deepEqual(await inSlices(1, [], (n) => n), [])
    await assert.rejects(
      inSlices(1, [1], () => {
        throw new Error('no such item')
      }),
      /no such item/,
    )
    assert.deepEqual(await inSlices(1, [1], (n) => n), [1])
  })

  for (const K of [1, 2, 8])
    it(`of ${K} workspaces hold the loop for one slice at a time`, async () => {
      const items = Array.from({ length: 20 }, (_, n) => n)
      const held = await heldDuring(() =>
        Promise.all(Array.from({ length: K }, (_, n) => inSlices(1000 + n, items, () => burn(5)))),
      )
      assert.ok(held < 60, `${held} ms`) // all at once would block it for 100 ms each
    })

  it('go on first for the workspace that used least', async () => {
    const ended: string[] = []
    const convert = (name: string, workspace: number, count: number) =>
      inSlices(workspace, new Array(count).fill(0), () => burn(15)).then(() => ended.push(name))
    await Promise.all([convert('expensive', 2001, 12), convert('expensive too', 2002, 12), convert('cheap', 2003, 2)])
    assert.equal(ended[0], 'cheap')
  })

  it('may be of groups of items', () => {
    const groups = inGroups(['aa', 'b', 'cccc', 'd'], (text) => text.length, 3)
    assert.deepEqual(groups, [['aa', 'b'], ['cccc'], ['d']])
    assert.deepEqual(
      inGroups([], () => 1, 3),
      [],
    )
  })
})
