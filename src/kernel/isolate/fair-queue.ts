/** Bounded queue that serves the caller with the least recent use next: an expensive caller waits in proportion to its cost. */
import type { UsageMeter } from '../fair-share.ts'

export interface FairQueue<T> {
  readonly length: number
  /**
   * Adds an item. Returns the item that is rejected, if any. If the caller's share is full, that is the added one. If the whole
   * queue is full, it is the last item of the caller with the most items, unless that is this caller.
   */
  add(caller: number, item: T): T | undefined
  /** Puts an item back in front of its caller's other items, ignoring the bounds. */
  putBack(caller: number, item: T): void
  remove(caller: number, item: T): void
  /**
   * Removes and returns the first permitted item of the caller with the least use. On a tie, the caller that was served least
   * recently.
   */
  next(may?: (caller: number, item: T) => boolean): { caller: number; item: T } | undefined
}

interface Bounds {
  most: number
  mostOfOne: number
  meter: Pick<UsageMeter, 'leastUsed'>
}

export function fairQueue<T>({ most, mostOfOne, meter }: Bounds): FairQueue<T> {
  /** Callers, least recently served first. */
  const callers = new Map<number, T[]>()
  let length = 0

  function take(caller: number, at: number): T {
    const items = callers.get(caller)!
    const [item] = items.splice(at, 1)
    callers.delete(caller)
    if (items.length) callers.set(caller, items)
    length--
    return item!
  }

  function put(caller: number, item: T, how: 'push' | 'unshift') {
    callers.getOrInsertComputed(caller, () => [])[how](item)
    length++
  }

  /** Removes an item to make room for a caller's new one. Returns undefined if no other caller has more items. */
  function displacedFor(count: number): T | undefined {
    let longest: T[] = []
    for (const items of callers.values()) if (items.length > longest.length) longest = items
    if (longest.length <= count + 1) return undefined
    length--
    return longest.pop()
  }

  return {
    get length() {
      return length
    },
    add(caller, item) {
      const count = callers.get(caller)?.length ?? 0
      if (count >= mostOfOne) return item
      const displaced = length >= most ? displacedFor(count) : undefined
      if (length >= most) return item
      put(caller, item, 'push')
      return displaced
    },
    putBack: (caller, item) => put(caller, item, 'unshift'),
    remove(caller, item) {
      const at = callers.get(caller)?.indexOf(item) ?? -1
      if (at >= 0) take(caller, at)
    },
    next(may = () => true) {
      const found = new Map<number, number>()
      for (const [caller, items] of callers) {
        const at = items.findIndex((item) => may(caller, item))
        if (at >= 0) found.set(caller, at)
      }
      const caller = meter.leastUsed(found.keys())
      return caller === undefined ? undefined : { caller, item: take(caller, found.get(caller)!) }
    },
  }
}
