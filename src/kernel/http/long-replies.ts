/**
 * Long replies of a user take turns: making one keeps the event loop busy for some milliseconds, and many at once would add up before anybody else is
 * answered. A user is known by the long replies of the last minute.
 */
import QuickLRU from 'quick-lru'
import type { Services } from '../context.ts'
import { semaphore, type WithPermit } from '../semaphore.ts'

/** Characters of a reply that is long. */
const LONG = 256 * 1024
/** Replies to GET requests of such a user that a process makes at once, and milliseconds that others of theirs wait. */
const AT_ONCE = 2
const PATIENCE = 30_000
const REMEMBERED_MS = 60_000
const MAX_USERS = 10_000

interface LongReplies {
  /** Does work for a user, in turn where the user had a long reply lately. */
  inTurn<T>(user: string, work: () => Promise<T>): Promise<T>
  /** Remembers users by the length of their replies. */
  note(user: string, length: number): void
}

const known = new WeakMap<Services, LongReplies>()

/** The turns of this process. */
export const longRepliesOf = (services: Services) => known.getOrInsertComputed(services, longReplies)

function longReplies(): LongReplies {
  const users = new QuickLRU<string, WithPermit>({ maxSize: MAX_USERS, maxAge: REMEMBERED_MS })
  return {
    inTurn: (user, work) => users.get(user)?.(work) ?? work(),
    note(user, length) {
      if (length >= LONG) users.set(user, users.get(user) ?? semaphore({ atOnce: AT_ONCE, patience: PATIENCE }))
    },
  }
}
