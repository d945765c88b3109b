/**
 * Work on the event loop in slices. A long conversion runs for a few milliseconds, then yields to everything else. All
 * conversions of this process share one slice per turn of the loop; the workspace with the least recent use gets it.
 */
import { usageMeter } from './fair-share.ts'

const SLICE_MS = 10

const meter = usageMeter()
const waiting = new Map<number, (() => void)[]>()
/** Whether this turn's slice is taken. */
let isTaken = false

/** Gives the next turn's slice to the workspace that used least. */
function grant() {
  const workspace = meter.leastUsed(waiting.keys())
  isTaken = workspace !== undefined
  if (workspace === undefined) return
  const [next, ...others] = waiting.get(workspace)!
  waiting.delete(workspace)
  if (others.length) waiting.set(workspace, others)
  setImmediate(grant)
  next!()
}

/** Resolves when the workspace may use a slice; undefined if it may at once. */
function slice(workspace: number): Promise<void> | undefined {
  if (!isTaken) {
    isTaken = true
    setImmediate(grant)
    return undefined
  }
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.getOrInsertComputed(workspace, () => []).push(resolve)
  return promise
}

/** Converts items in order, in slices charged to the workspace. A single item is never interrupted. */
export async function inSlices<T, R>(workspace: number, items: readonly T[], convert: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  if (!items.length) return results
  await slice(workspace)
  let began = performance.now()
  for (const item of items) {
    results.push(convert(item))
    const used = performance.now() - began
    if (used < SLICE_MS || results.length === items.length) continue
    meter.charge(workspace, used)
    await slice(workspace)
    began = performance.now()
  }
  meter.charge(workspace, performance.now() - began)
  return results
}

/** Groups items into batches of at least `characters` characters, for converters whose cost is per call rather than per item. */
export function inGroups<T>(items: readonly T[], lengthOf: (item: T) => number, characters: number): T[][] {
  const groups: T[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const item of items) {
    if (length >= characters) {
      groups.push([])
      length = 0
    }
    groups.at(-1)!.push(item)
    length += lengthOf(item)
  }
  return groups
}
