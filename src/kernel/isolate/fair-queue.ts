/** A queue with bounds that serves its callers in turn: who asks for much waits behind who asks for little. */
export interface FairQueue<T> {
  readonly length: number
  /** False when the queue, or the caller's share of it, is full. */
  add(caller: number, item: T): boolean
  /** The next item of a caller who may have it; of anybody unless said. */
  next(may?: (caller: number) => boolean): { caller: number; item: T } | undefined
}

export function fairQueue<T>(bounds: { most: number; mostOfOne: number }): FairQueue<T> {
  /** In the order of their turns. */
  const callers = new Map<number, T[]>()
  let length = 0
  return {
    get length() {
      return length
    },
    add(caller, item) {
      const items = callers.get(caller) ?? []
      if (length >= bounds.most || items.length >= bounds.mostOfOne) return false
      callers.set(caller, items)
      items.push(item)
      length++
      return true
    },
    next(may = () => true) {
      for (const [caller, items] of callers) {
        if (!may(caller)) continue
        const item = items.shift()!
        callers.delete(caller)
        if (items.length) callers.set(caller, items)
        length--
        return { caller, item }
      }
      return undefined
    },
  }
}
