/** Limits concurrent CPU-bound work. Further callers wait in order, up to a maximum time. */
import { unavailable } from './errors.ts'

/** Runs work while it holds a permit. */
export type WithPermit = <T>(work: () => Promise<T>) => Promise<T>

/** Returns a counting semaphore. A caller that waits longer than `patience` milliseconds gets a 503 with Retry-After. */
export function semaphore({ atOnce, patience }: { atOnce: number; patience: number }): WithPermit {
  let free = atOnce
  const waiting = new Set<() => void>()

  const turn = () =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        waiting.delete(begin)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(begin)
        reject(unavailable('Too much is going on at the moment. Try again soon.', { code: 'BUSY' }))
      }, patience)
      waiting.add(begin)
    })

  return async (work) => {
    if (free > 0) free--
    else await turn()
    try {
      return await work()
    } finally {
      const [next] = waiting
      if (next)
        next() // hands the permit on
      else free++
    }
  }
}
