/**
 * `Dry-Run: true`: the work of a write runs to its end with all its checks, the reply says what would be, and then its transaction is rolled back:
 * no record, number, mail, job or event is left, and an Idempotency-Key isn't used up.
 */
import type { BaseCtx } from '../context.ts'
import { allPipelined, type Ending } from '../database/connect.ts'
import { badRequest, HttpError } from '../errors.ts'
import type { Principal } from './auth-strategies.ts'

/** Whether the header asks for it; 400 for what is neither yes nor no. */
export function isDryRun(header: string | string[] | undefined): boolean {
  if (header === undefined || header === 'false') return false
  if (header === 'true') return true
  throw badRequest('Dry-Run must be true or false.')
}

/** 422: work in several transactions, or with other servers, can't be taken back. */
export const dryRunUnsupported = () =>
  new HttpError(422, 'DRY_RUN_UNSUPPORTED', 'This can’t be tried: it works in several steps, or with other servers.')

/** Ends the transaction that it is thrown from, with what the work came to. */
class RolledBack<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('A dry run ends here.')
    this.result = result
  }
}

/** The transaction goes on after its work, so that a handler that would commit with its last statement doesn't. */
export const withoutEarlyCommit: Ending = {
  commitWith: (statement) => statement,
  async commitThenRead(statement, read) {
    const [, result] = await allPipelined(statement, read())
    return result
  },
}

/** Runs work in a transaction that is rolled back, and answers what it came to. */
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
