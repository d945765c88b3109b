/**
 * Work on the event loop in slices: a conversion of much text goes on for a few milliseconds, then everything else has its turn. All
 * conversions of this process share one slice of each turn of the loop, and next is the workspace that used least of them lately.
 */
import { usageMeter } from './fair-share.ts'

const SLICE_MS = 10

const meter = usageMeter()
const waiting = new Map<number, (() => void)[]>()
/** Whether the slice of this turn of the loop is taken. */
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

/** Resolves when a workspace may use a slice. */
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

/** Converts items one after the other, in slices that are charged to the workspace. One item is never interrupted. */
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

/** Items in groups of so many characters at least: for converters that cost more for each call than for each item. */
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
