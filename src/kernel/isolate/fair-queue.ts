/** A queue with bounds that serves next whoever used least lately: an expensive caller waits in proportion to its cost. */
import type { UsageMeter } from '../fair-share.ts'

export interface FairQueue<T> {
  readonly length: number
  /**
   * Adds an item. Returns the item that has no place then: the added one where the caller's share is full, and where the whole queue is full
   * the last item of the caller with most items, unless that is the caller.
   */
  add(caller: number, item: T): T | undefined
  /** Adds an item as the first one of its caller, beyond all bounds: it had its place before. */
  putBack(caller: number, item: T): void
  remove(caller: number, item: T): void
  /** Removes and returns the first item that may be served, of the caller that used least; of several, of the one that was not served longest. */
  next(may?: (caller: number, item: T) => boolean): { caller: number; item: T } | undefined
}

interface Bounds {
  most: number
  mostOfOne: number
  meter: Pick<UsageMeter, 'leastUsed'>
}

export function fairQueue<T>({ most, mostOfOne, meter }: Bounds): FairQueue<T> {
  /** In the order in which they were served last. */
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

  /** Makes room for an item of a caller; undefined where there is none to be made. */
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
