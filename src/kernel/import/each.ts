/** Doing something to each of many, of which any may be refused: in groups that share a savepoint, which costs a trip or two for all of them. */
import { type Ctx, savepoint } from '../context.ts'
import { isRetryable, refusalOf } from '../database/failures.ts'

/** Of a group, at most: what one that is refused makes the others do again. */
const MOST = 50

interface Work<T, R> {
  /** Does it to one. Where another one of its group is refused it is undone and done again. */
  one(ctx: Ctx, item: T): Promise<R>
  refused(item: T, refusal: ReturnType<typeof refusalOf>): R
  /** Whether what is done to these stays the same when all are on their way at once: their statements leave together. */
  areApart(items: T[]): boolean
  /** It will be refused, as can be told beforehand: it is in no group. */
  isUnsound(item: T): boolean
}

/** What came of each, in their order. Throws what isn't one's own fault. */
export async function doEach<T, R>(ctx: Ctx, items: T[], { one, refused, areApart, isUnsound }: Work<T, R>): Promise<R[]> {
  /** What they came to; undefined where one was refused, and nothing is done then. */
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
    // Where many are refused, groups are small.
    if (group.length > 1) most = done ? Math.min(most * 2, MOST) : Math.max(most >> 2, 2)
    at += group.length
  }
  return results
}

/** All have ended when it throws: no statement of theirs comes behind the savepoint's end. */
async function allOf<R>(work: Promise<R>[]): Promise<R[]> {
  const settled = await Promise.allSettled(work)
  const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (errors.length) throw errors.find(isRetryable) ?? errors[0]
  return settled.map((one) => (one as PromiseFulfilledResult<R>).value)
}
