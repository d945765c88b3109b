/**
 * Fair shares by time used: a queue, a loop or a pool that serves several workspaces charges each for the time that its work took, and
 * serves next whoever used least lately. A newcomer has used nothing and goes first; an expensive workspace waits in proportion to its cost.
 */

export interface UsageMeter {
  /** Charges a workspace for milliseconds of work. */
  charge(workspace: number, ms: number): void
  /** Milliseconds that a workspace used lately: each counts half after every half-life. */
  used(workspace: number): number
  /** Returns the workspace that used least, the first one on a tie; undefined for an empty list. */
  leastUsed(workspaces: Iterable<number>): number | undefined
}

export interface UsageMeterOptions {
  /** Milliseconds after which used time counts half. */
  halfLife?: number
  /** Monotonic clock in milliseconds. */
  now?: () => number
}

/** A minute: long enough that a pause between two requests doesn't make a heavy user a newcomer. */
const HALF_LIFE = 60_000
/** Used time below this is forgotten, in milliseconds. */
const NEGLIGIBLE = 1
/** Maximum number of workspaces remembered. Those that used least are forgotten first. */
const MAX_WORKSPACES = 10_000

/** Returns a meter that remembers the time used by each workspace in this process. */
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
