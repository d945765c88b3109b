/**
 * The database as the rest of Atrium may use it: always inside a transaction that has taken a role.
 * `workspace` sees one workspace's rows and no other's, whatever the query says; `platform` sees all of them and reads as such.
 */

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
  sql,
} from 'kysely'
import pg from 'pg'
import { noteCommitted, overWire, transactionTimeout } from './failures.ts'
import { type Answered, pipelineOf } from './pipeline.ts'
import { connectionShares, type Share } from './shares.ts'
import type { DB } from './tables.ts'

export type Tx = Kysely<DB>
type Mode = 'read' | 'write'

/** Asks the database something as the login role, which may call the kernel's own functions. */
export type Ask = <R>(text: string, values: unknown[]) => Promise<R[]>

/** How a transaction may end early: with its last statement, without waiting for that one's answer. */
export interface Ending {
  /** The last statement of a read, with the end of the transaction right behind it. */
  commitWith<T>(statement: Promise<T>): Promise<T>
  /**
   * The last statement of a write with the COMMIT right behind it, so that what it locks is locked for no trip more; then what is to be
   * read, in a transaction of its own that leaves with them.
   */
  commitThenRead<T>(statement: Promise<unknown>, read: () => Promise<T>): Promise<T>
}

/** What work has asked of the database so far: for the line of its request in the log. */
export interface DatabaseUse {
  statements: number
  /** Milliseconds in transactions. */
  ms: number
  /** Milliseconds that one of its transactions that writes may take; 0 or undefined: any. */
  limit?: number
}

export interface Database {
  /**
   * Work in a workspace. `opening` is asked first, before the role is taken; its statement leaves together with those of the
   * work, and when it fails so does everything. `user` is whose share of the connections it takes, beside the workspace's.
   */
  workspace<T>(
    tenantId: number,
    mode: Mode,
    work: (tx: Tx, ending: Ending) => Promise<T>,
    opening?: (ask: Ask) => Promise<void>,
    user?: number | null,
    used?: DatabaseUse,
  ): Promise<T>
  /** Work that sees every workspace. `share` is whose share of the connections it takes; default: the platform's. */
  platform<T>(mode: Mode, work: (tx: Tx, ending: Ending) => Promise<T>, share?: Share, used?: DatabaseUse): Promise<T>
  /** One statement outside a transaction, as the login role, which has no rights on rows: for the kernel's own functions. */
  statement<R>(text: string, values: unknown[]): Promise<R[]>
  pool: pg.Pool
  /** It is a Citus cluster, where each machine is reached as the role at hand and a workspace's rows are on one of them (docs/scaling.md). */
  readonly isCluster: boolean
  /** Transactions that wait for a connection. */
  readonly waiting: number
  close(): Promise<void>
}

interface Options {
  url: string
  /** Connections at most. */
  size: number
  /** Keep prepared statements on connections. */
  prepare: boolean
  /** Nothing stands between here and the server: what a connection is set to, it keeps. */
  direct?: boolean
  /** Whether it is a Citus cluster: what `isCluster` of cluster.ts says of it. */
  cluster?: boolean
  /** Milliseconds after which the server gives up on a statement, on waiting for a lock, and on a transaction that does nothing. */
  timeouts: { statement: number; lock: number; idle: number; connection: number }
  onError?: (error: Error) => void
  /** Is told each statement, without its values, and in how many milliseconds it was answered. */
  onStatement?: (text: string, ms: number) => void
}

export function connect(options: Options): Database {
  const { statement, lock, idle, connection: connectionTimeoutMillis } = options.timeouts
  const timeouts = { statement_timeout: statement, lock_timeout: lock, idle_in_transaction_session_timeout: idle }
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.size,
    pipeline: true, // a batch may leave while another is answered
    types: { getTypeParser: typeParser },
    application_name: 'atrium',
    connectionTimeoutMillis,
    ...(options.direct ? timeouts : {}),
  } as pg.PoolConfig)
  const { cluster: isCluster = false } = options
  // Settings of a session would not survive PgBouncer in transaction mode.
  const setLocal = (some: object) => Object.entries(some).map(([name, value]) => `SET LOCAL ${name} = ${value}`)
  const { lock_timeout, ...others } = timeouts
  const settings = isCluster
    ? [...setLocal(others), ...CLUSTER_SETTINGS, ...setLocal({ lock_timeout })]
    : options.direct
      ? []
      : setLocal(timeouts)
  const platformRole = isCluster ? OPERATOR : 'app_platform'
  const shares = connectionShares({ size: options.size, waitMs: connectionTimeoutMillis })
  let closing = false
  pool.on('error', (error) => closing || options.onError?.(error))
  // One in use that is lost tells it by its statements; the pool listens to idle ones alone, and an error without a listener would end the process.
  pool.on('connect', (client) => void client.on('error', () => {}))
  const connected = () => overWire(pool.connect())
  const names = options.prepare ? statementNames() : () => undefined
  /** Kysely over one connection. Its own way of doing so lets a statement wait for the one before; ours lets them leave together. */
  const over = (connection: DatabaseConnection): Tx =>
    new Kysely({
      config: { dialect },
      driver: notConnected,
      dialect,
      executor: kysely.getExecutor().withConnectionProvider({ provideConnection: (consumer) => consumer(connection) }),
    })

  async function transaction<T>(
    share: Share,
    role: string,
    more: string[],
    mode: Mode,
    work: (tx: Tx, ending: Ending) => Promise<T>,
    opening?: (ask: Ask) => Promise<void>,
    used?: DatabaseUse,
  ) {
    const enter = [`SET LOCAL ROLE ${role}`, ...more]
    const giveBack = await shares.acquire(share)
    const client = await connected().catch((error) => {
      giveBack()
      throw error
    })
    const began = performance.now()
    const until = mode === 'write' && used?.limit ? began + used.limit : undefined
    const connection = connectionOf(client, names, options.onStatement, until)
    const { issue, behind, flush } = connection
    const begin = (mode: Mode) => [mode === 'read' ? 'BEGIN READ ONLY' : 'BEGIN', ...settings].map((text) => issue(text))
    let committed: Promise<unknown> | undefined
    let isOver = false
    const commit = () => {
      connection.close()
      return (committed ??= issue('COMMIT')
        .then(refuseRolledBack)
        .then(() => (isOver = true)))
    }
    let opened: Promise<void> | undefined
    const ending: Ending = {
      async commitWith(statement) {
        if (isCluster) return statement // of several steps there, perhaps
        behind(commit).catch(() => {}) // told below
        return statement
      },
      async commitThenRead(statement, read) {
        statement.catch(() => {}) // told below
        await opened
        const closed = behind(commit)
        const reading = behind(() => {
          connection.open()
          const begun = allPipelined(...begin('read'), ...enter.map((text) => issue(text)))
          const result = allPipelined(begun, read())
          behind(() => {
            connection.close()
            return issue('COMMIT')
          }).catch(() => {}) // nothing depends on it
          return result
        })
        const [, , [, result]] = await allPipelined(statement, closed, reading)
        return result
      },
    }
    try {
      const open = () => opening?.(async (text, values) => (await issue(text, values)).rows as never)
      // What the login role asks of the machines of a cluster it asks outside: they take part in a transaction as one role.
      if (isCluster) {
        opened = open()
        flush()
      }
      const beginning = begin(mode)
      if (!isCluster) opened = open()
      beginning.push(...enter.map((text) => issue(text)))
      for (const one of [...beginning, opened]) one?.catch(() => {}) // reported below, once; the statements behind it fail with it
      let result: T
      try {
        const tx = over(connection)
        if (isCluster) roles.set(tx, role)
        result = await work(tx, ending)
      } finally {
        await opened
      }
      await Promise.all(beginning)
      if (mode === 'read' && !committed)
        commit().catch(() => {}) // nothing depends on it: don't wait for another trip
      else await commit()
      return result
    } catch (error) {
      if (isOver && mode === 'write') noteCommitted(error)
      await issue('ROLLBACK').catch(connection.breaks)
      throw error
    } finally {
      connection.release()
      giveBack()
      if (used) {
        used.statements += connection.issued()
        used.ms += performance.now() - began
      }
    }
  }

  return {
    pool,
    isCluster,
    get waiting() {
      return shares.waiting + pool.waitingCount
    },
    workspace(tenantId, mode, work, opening, user, used) {
      return transaction({ group: tenantId, user }, 'app_tenant', [setWorkspace(tenantId)], mode, work, opening, used)
    },
    platform: (mode, work, share = { group: 'platform' }, used) =>
      transaction(share, platformRole, [], mode, work, undefined, used),
    async statement(text, values) {
      const connection = connectionOf(await connected(), names, options.onStatement)
      try {
        return (await connection.issue(text, values)).rows as never
      } catch (error) {
        connection.breaks(error as Error)
        throw error
      } finally {
        connection.release()
      }
    },
    async close() {
      closing = true
      await pool.end()
    },
  }
}

/** SET takes no parameters, and only SET LOCAL travels to the machines of a cluster: this is the one place that writes the id into SQL. */
function setWorkspace(tenantId: number) {
  if (!Number.isSafeInteger(tenantId) || tenantId <= 0) throw new Error(`Not a workspace id: ${tenantId}`)
  return `${SET_WORKSPACE} '${tenantId}'`
}

/** Another text for each workspace: not worth keeping prepared. */
const SET_WORKSPACE = 'SET LOCAL app.tenant_id ='
const LEAVE_WORKSPACE = `${SET_WORKSPACE} ''`

/**
 * What a transaction on a cluster is set to. The tables that all machines have a copy of may be written behind a read of several shards; what is set
 * behind the second line is set on the machines that take part as well; the functions that search a workspace may be called there, where its rows are.
 */
const CLUSTER_SETTINGS = [
  "SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
  "SET LOCAL citus.propagate_set_commands = 'local'",
  'SET LOCAL citus.allow_nested_distributed_execution = on',
]

/**
 * The platform's role on a cluster: all that app_platform may, but where a workspace is set it sees that workspace's rows alone. A transaction
 * there keeps one role, because each machine is reached as the role at hand, and two of them wouldn't see each other's changes.
 */
const OPERATOR = 'app_operator'

/** The role of a transaction on a cluster. */
const roles = new WeakMap<Tx, string>()

/** Runs part of a platform's transaction as one workspace, then goes on as the platform. */
export async function asWorkspace<T>(tx: Tx, tenantId: number, work: () => Promise<T>) {
  const changesRole = !roles.has(tx)
  await raw(tx, ...(changesRole ? ['SET LOCAL ROLE app_tenant'] : []), setWorkspace(tenantId))
  return restoring(tx, [LEAVE_WORKSPACE, ...(changesRole ? ['SET LOCAL ROLE app_platform'] : [])], work)
}

/** After a statement that failed the transaction is aborted and takes no SET; it will be rolled back, and the role with it. */
async function restoring<T>(tx: Tx, restore: string[], work: () => Promise<T>) {
  let result: T
  try {
    result = await work()
  } catch (error) {
    await raw(tx, ...restore).catch(() => {})
    throw error
  }
  await raw(tx, ...restore)
  return result
}

/** Part of a transaction that can fail alone: what it wrote is undone, and the transaction goes on. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await raw(tx, 'SAVEPOINT part')
  let result: T
  try {
    result = await work()
  } catch (error) {
    await raw(tx, 'ROLLBACK TO SAVEPOINT part', 'RELEASE SAVEPOINT part')
    throw error
  }
  await raw(tx, 'RELEASE SAVEPOINT part')
  return result
}

const raw = (tx: Tx, ...texts: string[]) => allPipelined(...texts.map((text) => sql.raw(text).execute(tx)))

/** A COMMIT of an aborted transaction is answered as a ROLLBACK, and is no error to the driver. */
function refuseRolledBack({ command }: Answered<unknown>) {
  if (command === 'ROLLBACK') throw new Error('The transaction was rolled back: one of its statements failed')
}

/**
 * Statements that leave together. When one fails, those behind it fail too: the first one's error, in the order given, is the one that
 * says what is wrong.
 */
export async function allPipelined<T extends unknown[]>(...statements: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const settled = await Promise.allSettled(statements)
  for (const one of settled) if (one.status === 'rejected') throw one.reason
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as T
}

/**
 * Runs part of a transaction as the login role, which owns the queue's tables, then takes the workspace's or platform's role again. Both leave with
 * the statements beside them: behind one that fails the server does none of those that follow.
 */
export async function asLoginRole<T>(tx: Tx, role: 'app_tenant' | 'app_platform', work: () => Promise<T>) {
  const [, result] = await allPipelined(
    raw(tx, 'SET LOCAL ROLE NONE'),
    restoring(tx, [`SET LOCAL ROLE ${roles.get(tx) ?? role}`], work),
  )
  return result
}

const refuse = async () => {
  throw new Error('A transaction is opened by database.workspace or database.platform, which take the role.')
}

const notConnected: Driver = {
  init: async () => {},
  acquireConnection: refuse,
  releaseConnection: async () => {},
  destroy: async () => {},
  beginTransaction: refuse,
  commitTransaction: refuse,
  rollbackTransaction: refuse,
}

const dialect: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => notConnected,
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
}
const kysely = new Kysely<DB>({ dialect })

/** A part of statements that is the same in all of them, as text: it is put together once. It has no values. */
export function fixed<T>(part: RawBuilder<T>): RawBuilder<T> {
  const { sql: text, parameters } = part.compile(kysely)
  if (parameters.length) throw new Error(`A fixed part of a statement has no values: ${text}`)
  return sql.raw<T>(text)
}

/** A pooled connection as Kysely speaks to one. It isn't given back to the pool once the wire has failed. */
function connectionOf(
  client: pg.PoolClient,
  names: (text: string) => string | undefined,
  onStatement: Options['onStatement'],
  until = Number.POSITIVE_INFINITY,
) {
  const { run, behind, flush } = pipelineOf(client, typeParser)
  let broken: Error | undefined
  const breaks = (error: Error) => {
    if (!(error instanceof pg.DatabaseError)) broken = error
  }
  let issued = 0
  const issue = <R>(text: string, values?: readonly unknown[]) => {
    issued++
    const answered = run<R>(text, values, names(text))
    return onStatement ? timed(answered, text, onStatement) : answered
  }
  /** Behind a COMMIT that has left, a statement would run outside the transaction, as the login role. */
  let isOpen = true
  return {
    issue,
    issued: () => issued,
    behind,
    flush,
    open: () => void (isOpen = true),
    close: () => void (isOpen = false),
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      if (!isOpen) throw new Error('This transaction has been committed: its last statement was issued before.')
      if (performance.now() > until) throw transactionTimeout()
      try {
        const { rows, command } = await issue<R>(query.sql, query.parameters)
        const count = /\d+$/.exec(command)
        return { rows, numAffectedRows: count ? BigInt(count[0]) : undefined }
      } catch (error) {
        breaks(error as Error)
        throw error
      }
    },
    async *streamQuery(): AsyncIterableIterator<never> {
      yield* []
      throw new Error('Streaming goes through COPY.')
    },
    breaks,
    release() {
      flush() // nothing of whoever comes next shares a batch with this
      client.release(broken)
    },
  }
}

async function timed<T>(answered: Promise<T>, text: string, tell: NonNullable<Options['onStatement']>): Promise<T> {
  const began = performance.now()
  try {
    return await answered
  } finally {
    tell(text, performance.now() - began)
  }
}

/** Names for prepared statements: the same text has the same name. Capped, because a query may have endless spellings. */
function statementNames(most = 500) {
  const names = new Map<string, string>()
  return (text: string) => {
    let name = names.get(text)
    if (!name && names.size < most && !text.startsWith(SET_WORKSPACE)) names.set(text, (name = `a${names.size}`))
    return name
  }
}

const { builtins } = pg.types
function typeParser(oid: number, format?: string): any {
  if (oid === builtins.INT8) return Number // ids and counts; far below 2^53
  if (oid === builtins.DATE) return (text: string) => text // a date is a string end to end
  if (oid === builtins.TIMESTAMPTZ) return instant
  return pg.types.getTypeParser(oid, format as 'text')
}

/** '2026-11-20 09:47:23.12+00' → '2026-11-20T09:47:23.120Z'. By hand where the session is in UTC: a list has dozens of them. */
function instant(text: string) {
  if (!text.endsWith('+00') || text.length < 22 || text.length > 26 || text[4] !== '-') return new Date(text).toISOString()
  const milliseconds = text.slice(20, -3).padEnd(3, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`
}
