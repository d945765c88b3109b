/**
 * `Dry-Run: true`: a write runs to its end with all its checks, the reply shows the result, and then the transaction is rolled
 * back. No record, number, mail, job or event remains, and an Idempotency-Key isn't used up.
 */
import type { BaseCtx } from '../context.ts'
import { allPipelined, type Ending } from '../database/connect.ts'
import { badRequest, HttpError } from '../errors.ts'
import type { Principal } from './auth-strategies.ts'

/** Whether the header requests a dry run. Throws 400 for other values than `true` and `false`. */
export function isDryRun(header: string | string[] | undefined): boolean {
  if (header === undefined || header === 'false') return false
  if (header === 'true') return true
  throw badRequest('Dry-Run must be true or false.')
}

/** 422: work in several transactions or with other servers can't be rolled back. */
export const dryRunUnsupported = () =>
  new HttpError(422, 'DRY_RUN_UNSUPPORTED', 'This can’t be tried: it works in several steps, or with other servers.')

/** Rolls back the transaction in which it is thrown; carries the result of the work. */
class RolledBack<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('A dry run ends here.')
    this.result = result
  }
}

/** Keeps the transaction open after its work: handlers that would commit with their last statement don't. */
export const withoutEarlyCommit: Ending = {
  commitWith: (statement) => statement,
  async commitThenRead(statement, read) {
    const [, result] = await allPipelined(statement, read())
    return result
  },
}

/** Runs work in a transaction that is rolled back, and returns its result. */
export async function rolledBack<T>(caller: Pick<Principal, 'run'>, work: (ctx: BaseCtx) => Promise<T>): Promise<T> {
  try {
    await caller.run('write', async (ctx) => {
      throw new RolledBack(await work({ ...ctx, ...withoutEarlyCommit }))
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.result as T
    throw error
  }
  throw new Error('A dry run was committed.')
}
