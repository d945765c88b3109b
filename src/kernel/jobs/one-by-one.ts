/**
 * Jobs that do the same work for many items: a failing item doesn't stop the others. It is logged, the rest is done, and the job
 * fails at its end. So it is retried and finally becomes a dead letter.
 */
import { type PlatformCtx, type Services, writeAsSystem } from '../context.ts'

/** Maximum number of items named by the final error. The log has all of them. */
const MAX_NAMED = 10

/** Runs each item's work separately. `failing` is the log message of a failure: `a workspace could not be erased`. */
export function oneByOne({ log }: Pick<Services, 'log'>, failing: string) {
  const named: object[] = []
  let failed = 0
  /** Logs a failed item with its identifying fields. */
  const note = (item: object, error: unknown) => {
    log.error({ err: error, ...item }, failing)
    if (failed++ < MAX_NAMED) named.push(item)
  }
  return {
    note,
    /** Returns the work's result, or undefined if it fails; the failure is logged. */
    async attempt<T>(item: object, work: () => Promise<T>): Promise<T | undefined> {
      try {
        return await work()
      } catch (error) {
        note(item, error)
        return undefined
      }
    },
    /** Throws if an item has failed. */
    end() {
      if (failed) throw new Error(`${failing} (${failed}): ${JSON.stringify(named)}`)
    },
  }
}

interface Batches<T> {
  size: number
  /** Locks the next items after `behind`, in a stable order. Processed items must no longer be found. */
  find(ctx: PlatformCtx, limit: number, behind: T | undefined): Promise<T[]>
  work(ctx: PlatformCtx, found: T[]): Promise<unknown>
  /** Log message of a failure, as for `oneByOne`. */
  failing: string
  /** Returns the fields that identify an item in the log. */
  nameOf(item: T): object
  signal?: AbortSignal
}

/**
 * Processes batches, each in a transaction, until none is found. Items of a failed batch are processed one by one; those that
 * fail again are skipped.
 */
export async function batchByBatch<T>(services: Services, { size, find, work, failing, nameOf, signal }: Batches<T>) {
  const each = oneByOne(services, failing)
  let behind: T | undefined
  let singly = 0
  while (!signal?.aborted) {
    let found: T[] = []
    const batch = () =>
      writeAsSystem(services, async (ctx) => {
        found = [] // reset for a retry of the transaction
        found = await find(ctx, singly ? 1 : size, behind)
        // On a cluster, an item locked by another transaction isn't replaced by the next one, but there may be more after it.
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

/** Runs parts of a job in order, each regardless of earlier failures. Throws their errors at the end. */
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
