/**
 * Limits how many connections to mail servers requests may hold open at once in this process. Each costs a socket, memory, and a
 * waiting user.
 */

import type { Services } from '#kernel/context.ts'
import { semaphore, type WithPermit } from '#kernel/semaphore.ts'

/** Tests shorten the patience, in milliseconds; after it, the reply is a 503 with Retry-After. */
export const SLOTS = { ofUser: 4, ofWorkspace: 12, patience: 10_000 }

/** The user and workspace on whose behalf a server is connected. */
export interface Owner {
  tenantId: number
  userId: number
}

interface Share {
  inTurn: WithPermit
  /** Number of requests that hold a slot or wait for one. */
  users: number
}

const shares = new WeakMap<Services['queue'], Map<string, Share>>()

/** Waits for a slot of the user and of the workspace. Returns the function that releases both. */
export async function waitForSlot({ queue }: Services, { tenantId, userId }: Owner): Promise<() => void> {
  const all = shares.getOrInsertComputed(queue, () => new Map())
  const leaveUsers = await enter(all, `${tenantId} ${userId}`, SLOTS.ofUser)
  try {
    const leaveWorkspaces = await enter(all, `${tenantId}`, SLOTS.ofWorkspace)
    return () => {
      leaveWorkspaces()
      leaveUsers()
    }
  } catch (error) {
    leaveUsers()
    throw error
  }
}

/** Resolves once the slot is taken. */
const enter = (all: Map<string, Share>, key: string, atOnce: number) =>
  new Promise<() => void>((resolve, reject) => {
    const share = all.getOrInsertComputed(key, () => ({ inTurn: semaphore({ atOnce, patience: SLOTS.patience }), users: 0 }))
    share.users++
    share
      .inTurn(() => new Promise<void>((leave) => resolve(leave)))
      .catch(reject)
      .finally(() => {
        if (--share.users === 0) all.delete(key)
      })
  })
