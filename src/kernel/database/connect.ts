/**
 * The database as the rest of Atrium may use it: always inside a transaction that has taken a role.
 * `workspace` sees one workspace's rows and no other's, whatever the query says; `platform` sees all of them and reads as such.
 */

import type { Writable } from 'node:stream'
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
  sql,
} from 'kysely'
import pg from 'pg'
import type { DB } from './schema.ts'

export type Tx = Kysely<DB>
type Mode = 'read' | 'write'

export interface Database {
  workspace<T>(tenantId: number, mode: Mode, work: (tx: Tx) => Promise<T>): Promise<T>
  platform<T>(mode: Mode, work: (tx: Tx) => Promise<T>): Promise<T>
  /** One statement outside a transaction, as the login role, which has no rights on rows: for the kernel's own functions. */
  statement<R>(text: string, values: unknown[]): Promise<R[]>
  pool: pg.Pool
  close(): Promise<void>
}

export function connect(options: { url: string; size: number; prepare: boolean; onError?: (error: Error) => void }): Database {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.size,
    pipeline: true, // BEGIN, role, query and COMMIT leave together instead of waiting for each other
    types: { getTypeParser: typeParser },
    application_name: 'atrium',
  } as pg.PoolConfig)
  let closing = false
  pool.on('error', (error) => closing || options.onError?.(error))
  const names = options.prepare ? statementNames() : () => undefined
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => notConnected,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  const kysely = new Kysely<DB>({ dialect })

  /** Kysely over one connection. Its own way of doing so lets a statement wait for the one before; ours lets them leave together. */
  const over = (connection: DatabaseConnection): Tx =>
    new Kysely({
      config: { dialect },
      driver: notConnected,
      dialect,
      executor: kysely.getExecutor().withConnectionProvider({ provideConnection: (consumer) => consumer(connection) }),
    })

  async function transaction<T>(setUp: string, mode: Mode, work: (tx: Tx) => Promise<T>) {
    const client = await pool.connect()
    const connection = connectionOf(client, names)
    try {
      writeTogether(client)
      const opened = client.query(`${mode === 'read' ? 'BEGIN READ ONLY' : 'BEGIN'}; ${setUp}`)
      opened.catch(() => {}) // reported below, once; the statements behind it fail with it
      const result = await work(over(connection))
      await opened
      const closed = client.query('COMMIT')
      if (mode === 'read')
        closed.catch(() => {}) // nothing depends on it: don't wait for another trip
      else await closed
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(connection.breaks)
      throw error
    } finally {
      connection.release()
    }
  }

  return {
    pool,
    workspace(tenantId, mode, work) {
      // SET takes no parameters, and only SET LOCAL travels to Citus workers: this is the one place that writes the id into SQL.
      if (!Number.isSafeInteger(tenantId) || tenantId <= 0) throw new Error(`Not a workspace id: ${tenantId}`)
      return transaction(`SET LOCAL ROLE app_tenant; SET LOCAL app.tenant_id = '${tenantId}'`, mode, work)
    },
    platform: (mode, work) => transaction('SET LOCAL ROLE app_platform', mode, work),
    async statement(text, values) {
      return (await pool.query({ text, values, name: names(text) })).rows
    },
    async close() {
      closing = true
      await pool.end()
    },
  }
}

/**
 * Statements that leave together. When one fails, those behind it fail too, as part of an aborted transaction: the first one's
 * error, in the order given, is the one that says what is wrong.
 */
export async function together<T extends unknown[]>(...statements: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const settled = await Promise.allSettled(statements)
  for (const one of settled) if (one.status === 'rejected') throw one.reason
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as T
}

/**
 * Runs part of a transaction as the login role, which owns the queue's tables, then takes the workspace's or platform's role
 * again, also when the work fails.
 */
export async function asOwner<T>(tx: Tx, role: 'app_tenant' | 'app_platform', work: () => Promise<T>): Promise<T> {
  const takeRole = () => sql`SET LOCAL ROLE ${sql.raw(role)}`.execute(tx)
  await sql`SET LOCAL ROLE NONE`.execute(tx)
  try {
    const result = await work()
    await takeRole()
    return result
  } catch (error) {
    await takeRole().catch(() => {}) // refused in an aborted transaction, which takes the role with it when it is rolled back
    throw error
  }
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

/** A pooled connection as Kysely speaks to one. It isn't given back to the pool once the wire has failed. */
function connectionOf(client: pg.PoolClient, names: (text: string) => string | undefined) {
  let broken: Error | undefined
  const breaks = (error: Error) => {
    if (!(error instanceof pg.DatabaseError)) broken = error
  }
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      writeTogether(client)
      try {
        const values = query.parameters as unknown[]
        const result = await client.query(values.length ? { text: query.sql, values, name: names(query.sql) } : query.sql)
        return { rows: result.rows ?? [], numAffectedRows: result.rowCount == null ? undefined : BigInt(result.rowCount) }
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
    release: () => client.release(broken),
  }
}

/** Statements that are issued without waiting for each other leave in one write, and wake the server once. */
function writeTogether(client: pg.PoolClient) {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Names for prepared statements: the same text has the same name. Capped, because a query may have endless spellings. */
function statementNames(most = 500) {
  const names = new Map<string, string>()
  return (text: string) => {
    let name = names.get(text)
    if (!name && names.size < most) names.set(text, (name = `a${names.size}`))
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
