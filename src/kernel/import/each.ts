/**
 * Processes many items of which any may be rejected, in groups that share a savepoint, which costs only one or two round trips
 * per group.
 */
import { type Ctx, savepoint } from '../context.ts'
import { isRetryable, refusalOf } from '../database/failures.ts'

/** Maximum size of a group: if one item is rejected, the others are processed again. */
const MOST = 50

interface Work<T, R> {
  /** Processes an item. If another one of its group is rejected, it is rolled back and processed again. */
  one(ctx: Ctx, item: T): Promise<R>
  refused(item: T, refusal: ReturnType<typeof refusalOf>): R
  /** Whether these items can be processed concurrently with the same result: then their statements are pipelined. */
  areApart(items: T[]): boolean
  /** Whether the item is known to be rejected: it joins no group. */
  isUnsound(item: T): boolean
}

/** Returns the result of each item, in order. Throws errors that aren't caused by a single item. */
export async function doEach<T, R>(ctx: Ctx, items: T[], { one, refused, areApart, isUnsound }: Work<T, R>): Promise<R[]> {
  /** Returns the results of a group; undefined if an item was rejected, and then nothing of the group is applied. */
  async function together(group: T[]): Promise<R[] | undefined> {
    try {
      return await savepoint(ctx, async (part) => {
        if (areApart(group)) return await allOf(group.map((item) => one(part, item)))
        const results: R[] = []
        for (const item of group) results.push(await one(part, item))
        return results
      })
    } catch (error) {
      if (isRetryable(error)) throw error
      return undefined
    }
  }
  const alone = (item: T) => savepoint(ctx, (part) => one(part, item)).catch((error) => refused(item, refusalOf(error)))

  const results: R[] = []
  let most = MOST
  for (let at = 0; at < items.length; ) {
    const unsound = items.slice(at, at + most).findIndex(isUnsound)
    const group = items.slice(at, at + (unsound < 0 ? most : Math.max(unsound, 1)))
    const done = group.length > 1 ? await together(group) : undefined
    if (done) results.push(...done)
    else for (const item of group) results.push(await alone(item))
    // Groups are small while many items are rejected.
    if (group.length > 1) most = done ? Math.min(most * 2, MOST) : Math.max(most >> 2, 2)
    at += group.length
  }
  return results
}

/** Throws only after all have settled, so that no statement follows the end of the savepoint. */
async function allOf<R>(work: Promise<R>[]): Promise<R[]> {
  const settled = await Promise.allSettled(work)
  const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (errors.length) throw errors.find(isRetryable) ?? errors[0]
  return settled.map((one) => (one as PromiseFulfilledResult<R>).value)
}
