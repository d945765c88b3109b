/**
 * Limits concurrent long replies per user: building one blocks the event loop for some milliseconds, and many at once would delay
 * other users. Applies to users who had a long reply within the last minute.
 */
import QuickLRU from 'quick-lru'
import type { Services } from '../context.ts'
import { semaphore, type WithPermit } from '../semaphore.ts'

/** Length in characters from which a reply is long. */
const LONG = 256 * 1024
/** Concurrent GET replies per process for such a user, and the maximum wait of further ones in milliseconds. */
const AT_ONCE = 2
const PATIENCE = 30_000
const REMEMBERED_MS = 60_000
const MAX_USERS = 10_000

interface LongReplies {
  /** Runs work for a user; queued if the user had a long reply recently. */
  inTurn<T>(user: string, work: () => Promise<T>): Promise<T>
  /** Records the length of a user's reply. */
  note(user: string, length: number): void
}

const known = new WeakMap<Services, LongReplies>()

/** Returns the limiter of this process. */
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
