/** Tests of the child processes' queue: order of service, and rejection when the queue is full. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { usageMeter } from '../fair-share.ts'
import { fairQueue } from './fair-queue.ts'

const queueOf = (bounds = { most: 10, mostOfOne: 5 }) => {
  const meter = usageMeter({ now: () => 0 })
  const queue = fairQueue<string>({ ...bounds, meter })
  const add = (items: string) => items.split(' ').map((item) => queue.add(item.charCodeAt(0), item))
  return { meter, queue, add, served: (n: number) => Array.from({ length: n }, () => queue.next()?.item) }
}
const caller = (letter: string) => letter.charCodeAt(0)

describe('the queue', () => {
  it('serves callers in turn who used the same time', () => {
    const { queue, add, served } = queueOf()
    add('a1 a2 a3 b1 c1 b2')
    assert.equal(queue.length, 6)
    assert.deepEqual(served(7), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined])
    assert.equal(queue.length, 0)
  })

  it('serves first who used least time, and a newcomer before all others', () => {
    const { meter, queue, add, served } = queueOf()
    add('a1 a2 b1 b2')
    meter.charge(caller('a'), 5000)
    meter.charge(caller('b'), 3000)
    assert.deepEqual(served(1), ['b1'])
    meter.charge(caller('b'), 3000)
    assert.deepEqual(served(1), ['a1'])
    add('c1')
    assert.deepEqual(served(3), ['c1', 'a2', 'b2'])
    assert.equal(queue.length, 0)
  })

  it('has bounds, in all and for each caller', () => {
    const { queue, add } = queueOf({ most: 3, mostOfOne: 2 })
    assert.deepEqual(add('a1 a2 a3 b1 b2'), [undefined, undefined, 'a3', undefined, 'b2'])
    queue.next()
    assert.deepEqual(add('b2'), [undefined])
  })

  it('makes room for a newcomer by the last item of the caller who waits with most', () => {
    const { add, served } = queueOf({ most: 5, mostOfOne: 4 })
    assert.deepEqual(add('a1 a2 b1 b2 b3 c1'), [undefined, undefined, undefined, undefined, undefined, 'b3'])
    assert.deepEqual(served(6), ['a1', 'b1', 'c1', 'a2', 'b2', undefined])
  })

  it('passes over items that may not be served', () => {
    const { queue, add, served } = queueOf()
    add('a1 a2 b1')
    const mayRun = (_: number, item: string) => item !== 'a1'
    assert.deepEqual(queue.next(mayRun), { caller: caller('a'), item: 'a2' })
    assert.deepEqual(queue.next(mayRun), { caller: caller('b'), item: 'b1' })
    assert.equal(queue.next(mayRun), undefined)
    assert.deepEqual(served(1), ['a1'])
  })

  it('serves an item that was put back before the other ones of its caller', () => {
    const { queue, add, served } = queueOf({ most: 2, mostOfOne: 2 })
    add('a1 a2')
    queue.putBack(caller('a'), 'a0')
    assert.deepEqual(served(3), ['a0', 'a1', 'a2'])
    add('a1 b1')
    queue.remove(caller('a'), 'a1')
    assert.deepEqual(served(2), ['b1', undefined])
  })
})
