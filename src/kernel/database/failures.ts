/** Temporary failures of the database or its disk: a 503 or 507 with a specific code, never a defect. */
import { HttpError, unavailable } from '../errors.ts'

/** The connection to the database was lost, or the database is starting or stopping. */
const unreachable = () => unavailable('The database cannot be reached at the moment. Try again soon.')
const slow = () =>
  unavailable('This took longer than it may. Ask for less at once, or try again later.', {
    code: 'DATABASE_TIMEOUT',
    seconds: 30,
  })
const locked = () =>
  unavailable('Somebody else is changing the same. Try again in a few seconds.', { code: 'DATABASE_LOCKED', seconds: 5 })
/** The queue for connections is full, or the maximum wait is over. */
export const busy = () =>
  unavailable('Too much is going on at the moment. Try again in a few seconds.', { code: 'DATABASE_BUSY', seconds: 2 })
const full = () => new HttpError(507, 'STORAGE_FULL', 'There is no room left to store this. Nothing was changed.')

/** Error of a transaction that exceeded its time limit, with PostgreSQL 17's code. */
export const transactionTimeout = () => Object.assign(new Error('The transaction took longer than it may'), { code: '25P04' })

/** By SQLSTATE, or by the operating system's code for a full disk. */
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

/** Codes of a lost connection. Files and other servers fail with the same codes, so errors are marked where they occur. */
const CUT = new Set<unknown>(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'])
const cut = new WeakSet<Error>()

/** Marks an error of the database connection if the connection was lost. */
export const noteCut = (error: unknown) =>
  void (error instanceof Error && CUT.has((error as { code?: unknown }).code) && cut.add(error))

/** Wraps database work outside `Database`, such as a library's own statements: errors of a lost connection are marked. */
export const overWire = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    noteCut(error)
    throw error
  })

/** Whether the database, or the node of the cluster that was queried, is unreachable. */
export const isUnreachable = (error: unknown) =>
  cut.has(error as Error) || failures[(error as { code?: string }).code ?? ''] === unreachable

/** Message of the pool's error when no connection was free in time; it has no code. */
const POOL_TIMEOUT = 'timeout exceeded when trying to connect'

/**
 * A statement was planned for a cluster node that its rows have just left. Citus has no SQLSTATE for it, and appends a number to
 * table names.
 */
const ROWS_MOVED = /could not find valid entry for shard|_\d{6,}" does not exist/

/** Errors of a read after a successful COMMIT: the write is permanent and must not be repeated. */
const committed = new WeakSet<object>()
/** Marks an error that occurred after a successful COMMIT. */
export const noteCommitted = (error: unknown) => void (typeof error === 'object' && error && committed.add(error))
export const isCommitted = (error: unknown) => typeof error === 'object' && error !== null && committed.has(error)

/** Whether a retry of the transaction may succeed: after deadlocks, serialisation failures, and moves of rows to another node. */
export function isRetryable(error: unknown) {
  if (isCommitted(error)) return false
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === '40001' || code === '40P01' || (typeof code === 'string' && ROWS_MOVED.test(String(message)))
}

/** Returns the error for the client; undefined for any other error. */
export function failureOf(error: unknown): HttpError | undefined {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (message === POOL_TIMEOUT) return busy()
  if (cut.has(error as Error)) return unreachable()
  if (typeof code === 'string' && ROWS_MOVED.test(String(message))) return locked()
  return typeof code === 'string' ? failures[code]?.() : undefined
}

/** Message of a defect for the client. */
export const DEFECT = 'Something went wrong on our side. It has been logged.'

/**
 * User-visible message of an error, also for storage: the text for clients, or a generic one for a defect. The log has the
 * details.
 */
export const toldOf = (error: unknown): string => (error instanceof HttpError ? error : failureOf(error))?.message ?? DEFECT

/**
 * Returns the message of a rule or constraint that rejects one record, by field if known. Throws any other error, which concerns
 * the whole work.
 */
export function refusalOf(error: unknown): { message: string; errors?: HttpError['errors'] } {
  if (error instanceof HttpError && error.status < 500)
    return { message: Object.values(error.errors ?? {})[0]?.[0] ?? error.message, errors: error.errors }
  if (!isRetryable(error) && /^2[23]/.test((error as { code?: string }).code ?? ''))
    return { message: 'What is stored does not allow it.' }
  throw error
}
