/**
 * Fair scheduling by time used. A queue, loop or pool that serves several workspaces charges each for the time its work took, and
 * serves the workspace with the least recent use next. A new workspace goes first; an expensive one waits in proportion to its
 * cost.
 */

export interface UsageMeter {
  /** Charges a workspace for milliseconds of work. */
  charge(workspace: number, ms: number): void
  /** Recently used time in milliseconds. It halves after every half-life. */
  used(workspace: number): number
  /** Returns the workspace with the least used time, the first one on a tie, or undefined for an empty list. */
  leastUsed(workspaces: Iterable<number>): number | undefined
}

export interface UsageMeterOptions {
  /** Time in milliseconds after which used time counts half. */
  halfLife?: number
  /** Monotonic clock in milliseconds. */
  now?: () => number
}

/** One minute: long enough that a pause between two requests doesn't reset a heavy user. */
const HALF_LIFE = 60_000
/** Used time below this is dropped, in milliseconds. */
const NEGLIGIBLE = 1
/** Maximum number of workspaces. Those with the least used time are dropped first. */
const MAX_WORKSPACES = 10_000

/** Returns a meter of the time used by each workspace in this process. */
export function usageMeter({ halfLife = HALF_LIFE, now = () => performance.now() }: UsageMeterOptions = {}): UsageMeter {
  const entries = new Map<number, { ms: number; at: number }>()

  function used(workspace: number) {
    const entry = entries.get(workspace)
    return entry ? entry.ms * 0.5 ** ((now() - entry.at) / halfLife) : 0
  }

  function forgetLightUsers() {
    for (const workspace of entries.keys()) if (used(workspace) < NEGLIGIBLE) entries.delete(workspace)
    if (entries.size < MAX_WORKSPACES) return
    const byUse = [...entries.keys()].sort((a, b) => used(a) - used(b))
    for (const workspace of byUse.slice(0, MAX_WORKSPACES / 2)) entries.delete(workspace)
  }

  return {
    used,
    charge(workspace, ms) {
      if (!entries.has(workspace) && entries.size >= MAX_WORKSPACES) forgetLightUsers()
      entries.set(workspace, { ms: used(workspace) + ms, at: now() })
    },
    leastUsed(workspaces) {
      let found: number | undefined
      let least = Number.POSITIVE_INFINITY
      for (const workspace of workspaces) {
        const ms = used(workspace)
        if (ms < least) [found, least] = [workspace, ms]
      }
      return found
    },
  }
}
