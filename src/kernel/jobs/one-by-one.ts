/**
 * Jobs that do the same to many: an item that always fails holds up no other. It is logged, the rest is done, and the job fails at its end, so that
 * it is tried again and stands among the dead letters at last.
 */
import { type PlatformCtx, type Services, writeAsSystem } from '../context.ts'

/** Items that the error at the end names; the log has them all. */
const MAX_NAMED = 10

/** Attempts of a job at items, each by itself. `failing` says what became of one: `a workspace could not be erased`. */
export function oneByOne({ log }: Pick<Services, 'log'>, failing: string) {
  const named: object[] = []
  let failed = 0
  /** Logs an item that failed, with what names it. */
  const note = (item: object, error: unknown) => {
    log.error({ err: error, ...item }, failing)
    if (failed++ < MAX_NAMED) named.push(item)
  }
  return {
    note,
    /** What the work answers; undefined where it fails, which is noted. */
    async attempt<T>(item: object, work: () => Promise<T>): Promise<T | undefined> {
      try {
        return await work()
      } catch (error) {
        note(item, error)
        return undefined
      }
    },
    /** Throws where an item has failed. */
    end() {
      if (failed) throw new Error(`${failing} (${failed}): ${JSON.stringify(named)}`)
    },
  }
}

interface Batches<T> {
  size: number
  /** Locks the next items, by a lasting order behind one of them. What the work is done to is found no more. */
  find(ctx: PlatformCtx, limit: number, behind: T | undefined): Promise<T[]>
  work(ctx: PlatformCtx, found: T[]): Promise<unknown>
  /** As `oneByOne` says it. */
  failing: string
  /** What names an item in the log. */
  nameOf(item: T): object
  signal?: AbortSignal
}

/** Works batch by batch, each in a transaction, until nothing is found. The items of one that fails are taken singly, and those that fail again are passed by. */
export async function batchByBatch<T>(services: Services, { size, find, work, failing, nameOf, signal }: Batches<T>) {
  const each = oneByOne(services, failing)
  let behind: T | undefined
  let singly = 0
  while (!signal?.aborted) {
    let found: T[] = []
    const batch = () =>
      writeAsSystem(services, async (ctx) => {
        found = [] // where the transaction is done again
        found = await find(ctx, singly ? 1 : size, behind)
        // On a cluster none is found in place of one that somebody else has locked, but there may be more behind it.
        if (singly && !found.length) found = (await find(ctx, size, behind)).slice(0, 1)
        if (found.length) await work(ctx, found)
      })
    try {
      await batch()
      if (!found.length) break
    } catch (error) {
      const [first] = found
      if (first === undefined) throw error
      if (found.length > 1) {
        singly = found.length
        continue
      }
      each.note(nameOf(first), error)
      behind = first
    }
    if (singly) singly--
  }
  each.end()
}

/** Parts of a job one after the other, each whatever becomes of those before it; then what one of them threw. */
export async function eachPart(
  services: Services,
  parts: ((services: Services, signal?: AbortSignal) => Promise<unknown>)[],
  signal?: AbortSignal,
) {
  const errors: Error[] = []
  for (const part of parts) await part(services, signal).catch((error) => errors.push(error))
  if (errors.length > 1) throw new AggregateError(errors, errors.map(({ message }) => message).join('; '))
  if (errors[0]) throw errors[0]
}
