/** What the database, or the disk below it, can't do at the moment: a 503 or a 507 with a code of its own, never a defect. */
import { HttpError, unavailable } from '../errors.ts'

/** The wire to the database is cut, or the database is starting or stopping. */
const unreachable = () => unavailable('The database cannot be reached at the moment. Try again soon.')
const slow = () =>
  unavailable('This took longer than it may. Ask for less at once, or try again later.', {
    code: 'DATABASE_TIMEOUT',
    seconds: 30,
  })
const locked = () =>
  unavailable('Somebody else is changing the same. Try again in a few seconds.', { code: 'DATABASE_LOCKED', seconds: 5 })
/** Whoever waits for a connection has waited for long enough, or too many wait. */
export const busy = () =>
  unavailable('Too much is going on at the moment. Try again in a few seconds.', { code: 'DATABASE_BUSY', seconds: 2 })
const full = () => new HttpError(507, 'STORAGE_FULL', 'There is no room left to store this. Nothing was changed.')

/** The error of a transaction that took longer than it may, by the code that PostgreSQL 17 has for it. */
export const transactionTimeout = () => Object.assign(new Error('The transaction took longer than it may'), { code: '25P04' })

/** By SQLSTATE, or by the operating system's code of a full disk. */
const failures: Record<string, () => HttpError> = {
  '57P01': unreachable,
  '57P02': unreachable,
  '57P03': unreachable,
  '08006': unreachable,
  '08001': unreachable,
  '53300': unreachable,
  '57014': slow, // statement_timeout
  '25P03': slow, // idle_in_transaction_session_timeout
  '25P04': slow, // transaction_timeout
  '55P03': locked, // lock_timeout
  '53200': busy, // out of memory
  '53100': full,
  ENOSPC: full,
  EDQUOT: full,
}

/** How the wire to the database fails; files and other servers fail by the same codes, and say nothing of the database. */
const CUT = new Set<unknown>(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'])
const cut = new WeakSet<Error>()

/** Remembers of an error that came by the wire to the database whether that was cut. */
export const noteCut = (error: unknown) =>
  void (error instanceof Error && CUT.has((error as { code?: unknown }).code) && cut.add(error))

/** What goes to the database beside `Database`, as a library's own statements: an error by which the wire was cut is known as such. */
export const overWire = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    noteCut(error)
    throw error
  })

/** Whether the database, or the machine of the cluster that was asked, can't be reached. */
export const isUnreachable = (error: unknown) =>
  cut.has(error as Error) || failures[(error as { code?: string }).code ?? ''] === unreachable

/** The pool's own error when no connection was free in time; it has no code. */
const POOL_TIMEOUT = 'timeout exceeded when trying to connect'

/** A statement was planned for a machine of the cluster that its rows have just left. Citus has no SQLSTATE for it, and names tables there by a number at their end. */
const ROWS_MOVED = /could not find valid entry for shard|_\d{6,}" does not exist/

/** Errors of what is read behind a COMMIT that was answered: what was written stays, and is not done again. */
const committed = new WeakSet<object>()
export const noteCommitted = (error: unknown) => void (typeof error === 'object' && error && committed.add(error))
export const isCommitted = (error: unknown) => typeof error === 'object' && error !== null && committed.has(error)

/** Deadlocks, serialisation failures, rows that were moved to another machine meanwhile: the transaction may go well when it is done again. */
export function isRetryable(error: unknown) {
  if (isCommitted(error)) return false
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === '40001' || code === '40P01' || (typeof code === 'string' && ROWS_MOVED.test(String(message)))
}

/** As a client is told it; undefined for any other error. */
export function failureOf(error: unknown): HttpError | undefined {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (message === POOL_TIMEOUT) return busy()
  if (cut.has(error as Error)) return unreachable()
  if (typeof code === 'string' && ROWS_MOVED.test(String(message))) return locked()
  return typeof code === 'string' ? failures[code]?.() : undefined
}

/** All that a client is told of a defect. */
export const DEFECT = 'Something went wrong on our side. It has been logged.'

/** What people are told of any error, where it is kept for them: the words that are meant for a client, and of a defect no more than that. The log has it whole. */
export const toldOf = (error: unknown): string => (error instanceof HttpError ? error : failureOf(error))?.message ?? DEFECT

/** What a rule or the database says against one record, by field where it does; anything else is thrown: it is the whole work's trouble. */
export function refusalOf(error: unknown): { message: string; errors?: HttpError['errors'] } {
  if (error instanceof HttpError && error.status < 500)
    return { message: Object.values(error.errors ?? {})[0]?.[0] ?? error.message, errors: error.errors }
  if (!isRetryable(error) && /^2[23]/.test((error as { code?: string }).code ?? ''))
    return { message: 'What is stored does not allow it.' }
  throw error
}
