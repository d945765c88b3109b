/**
 * Shares of the connection pool: no workspace and no user can hold so many connections that others must wait. Groups (a
 * workspace, the platform, the public) take turns; queues and waiting times are limited.
 */
import { busy } from './failures.ts'

/** The group and user that a connection counts for. */
export interface Share {
  /** A workspace's id, `platform` or `public`. */
  group: number | string
  /** User within the group. */
  user?: number | null
}

export interface ConnectionShares {
  /**
   * Waits for a connection; returns the function that releases it. Throws 503 DATABASE_BUSY if the queue is full, or after the
   * maximum wait.
   */
  acquire(share: Share): Promise<() => void>
  readonly waiting: number
}

const MAX_WAITING_OF_GROUP = 1000
const MAX_WAITING_OF_USER = 200
/** Connections that each group may hold even if the pool is nearly exhausted. */
const ASSURED = 2

interface Waiter {
  userKey: string | undefined
  grant(): void
}

/** Returns the shares of a pool with `size` connections; requests wait for at most `waitMs`. */
export function connectionShares({ size, waitMs }: { size: number; waitMs: number }): ConnectionShares {
  // Single statements outside transactions (sessions, limits) bypass the shares: some connections are reserved for them.
  const permits = size - (size >= 8 ? 2 : size >= 4 ? 1 : 0)
  const ofGroup = Math.max(ASSURED, Math.floor(size / 2))
  const ofUser = Math.max(ASSURED, Math.floor(size / 4))
  /** Connections reserved for groups that hold fewer than ASSURED. */
  const reserve = Math.floor(size / 4)

  let held = 0
  const heldBy = new Map<number | string, number>()
  /** In the order in which groups are served. */
  const queues = new Map<number | string, Set<Waiter>>()
  let waiting = 0

  const count = (key: number | string) => heldBy.get(key) ?? 0
  const add = (key: number | string, n: 1 | -1) => {
    const now = count(key) + n
    if (now) heldBy.set(key, now)
    else heldBy.delete(key)
  }
  const mayTake = (group: number | string) => {
    const free = permits - held
    return free > 0 && (count(group) < ASSURED || (count(group) < ofGroup && free > reserve))
  }
  const userMayTake = (key: string | undefined) => key === undefined || count(key) < ofUser

  function take(group: number | string, userKey: string | undefined) {
    held++
    add(group, 1)
    if (userKey) add(userKey, 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      held--
      add(group, -1)
      if (userKey) add(userKey, -1)
      serveWaiting()
    }
  }

  /** Serves groups in turn; within a group the longest waiting request that may proceed. */
  function serveWaiting() {
    for (const [group, waiters] of [...queues]) {
      if (held >= permits) return
      if (!mayTake(group)) continue
      for (const waiter of waiters) {
        if (!userMayTake(waiter.userKey)) continue
        waiter.grant()
        const rest = queues.get(group)
        if (rest) {
          queues.delete(group)
          queues.set(group, rest)
        }
        break
      }
    }
  }

  function enqueue(group: number | string, userKey: string | undefined) {
    const waiters = queues.getOrInsertComputed(group, () => new Set())
    let ofSame = 0
    if (userKey) for (const waiter of waiters) if (waiter.userKey === userKey) ofSame++
    if (waiters.size >= MAX_WAITING_OF_GROUP || ofSame >= MAX_WAITING_OF_USER) throw busy()
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const leave = () => {
      clearTimeout(timer)
      waiters.delete(waiter)
      waiting--
      if (!waiters.size) queues.delete(group)
    }
    const timer = setTimeout(() => {
      leave()
      reject(busy())
    }, waitMs)
    const waiter: Waiter = {
      userKey,
      grant() {
        leave()
        resolve(take(group, userKey))
      },
    }
    waiters.add(waiter)
    waiting++
    return promise
  }

  return {
    get waiting() {
      return waiting
    },
    async acquire({ group, user }) {
      const userKey = user == null ? undefined : `${group} ${user}`
      // Waiting requests go first, unless they wait for their own user's share.
      const isNext = !queues
        .get(group)
        ?.values()
        .some((one) => userMayTake(one.userKey))
      if (isNext && mayTake(group) && userMayTake(userKey)) return take(group, userKey)
      return enqueue(group, userKey)
    },
  }
}
