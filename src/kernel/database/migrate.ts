/** Applies the SQL migrations of the kernel and of every module folder, in the order of their timestamps. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { withClient } from './client.ts'

/** A migration file; the checksum detects later changes. */
export interface Migration {
  name: string
  file: string
  sql: string
  checksum: string
}

/** Returns the migrations below the given folders (`<folder>/migrations/*.sql` and `<folder>/*\/migrations/*.sql`). */
export function findMigrations(folders: string[]): Migration[] {
  const files = folders.flatMap((folder) => [
    ...globSync(`${folder}/migrations/*.sql`),
    ...globSync(`${folder}/*/migrations/*.sql`),
  ])
  const found = [...new Set(files)].map((file) => {
    const sql = readFileSync(file, 'utf8')
    return { name: basename(file, '.sql'), file, sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
  found.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const [i, migration] of found.entries()) {
    if (!/^\d{14}-[a-z0-9-]+$/.test(migration.name))
      throw new Error(`Migration ${migration.name}: name it <yyyymmddhhmmss>-<what>.sql`)
    if (migration.name === found[i + 1]?.name) throw new Error(`Two migrations are named ${migration.name}`)
  }
  return found
}

/** First line of a migration with a single statement that can't run in a transaction, such as CREATE INDEX CONCURRENTLY. */
export const OUTSIDE = '-- Outside a transaction'

/** Milliseconds that a migration waits for a lock before it is retried: later queries on the table queue after it. */
const LOCK_TIMEOUT = 2000
const LOCK_TRIES = 30
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Brings the database up to date, and returns the names of the migrations that this call applied. Each migration has a
 * transaction of its own: if one fails, nothing of it remains, and the previous ones stay applied.
 * Several processes may start at once: every transaction takes the same advisory lock and then reads again which migrations are
 * applied. (A lock for the whole run would have to be a session lock, which PgBouncer would pass to another client.) Waiting
 * processes poll for the lock: CREATE INDEX CONCURRENTLY would wait for a process that is blocked in the lock statement. A
 * migration that doesn't get a table lock in time is rolled back and retried, so that requests never queue after it for long.
 */
export const migrate = (url: string, migrations: Migration[]): Promise<string[]> =>
  withClient(url, async (client) => {
    const done: string[] = []
    for (let tries = 1; ; ) {
      // On a cluster a new table may reference distributed ones; `npm run distribute` distributes it later. Otherwise the setting
      // has no effect.
      await client.query(
        `BEGIN; SET LOCAL client_min_messages = warning; SET LOCAL citus.enable_local_reference_table_foreign_keys = off;
         SET LOCAL lock_timeout = ${LOCK_TIMEOUT}`,
      )
      if (!(await takeTurn(client))) {
        await client.query('ROLLBACK')
        await sleep(100)
        continue
      }
      const migration = await nextOf(client, migrations)
      if (!migration) break
      try {
        if (migration.sql.startsWith(OUTSIDE)) await runOutside(url, migration)
        else await run(client, migration)
      } catch (error) {
        if ((error as Failed).cause?.code !== LOCK_NOT_AVAILABLE || tries++ >= LOCK_TRIES) throw error
        await client.query('ROLLBACK')
        continue
      }
      await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [migration.name, migration.checksum])
      await client.query('COMMIT')
      done.push(migration.name)
      tries = 1
    }
    await closeTemporary(client)
    await client.query('COMMIT')
    return done
  })

/** Takes the migration lock until the end of the transaction. Returns false if another process has it. */
async function takeTurn(client: pg.Client) {
  const { rows } = await client.query<{ mine: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('atrium migrations', 0)) AS mine`,
  )
  return rows[0]!.mine
}

interface Failed extends Error {
  cause?: { code?: string }
}

async function run(client: pg.Client, migration: Migration) {
  // Cluster nodes don't accept this role: its statements run only on this node.
  if (migration.sql.startsWith('SET LOCAL ROLE app_platform;')) await client.query('SET LOCAL citus.enable_ddl_propagation = off')
  await client.query(migration.sql).catch((error: Error & { position?: string }) => {
    throw new Error(`Migration ${placeIn(migration, Number(error.position))} failed: ${error.message}`, { cause: error })
  })
}

/**
 * Runs a migration on a separate connection, next to the transaction with the lock. It may have been interrupted before it was
 * recorded, so its statement must be repeatable (IF NOT EXISTS); an invalid index of an earlier attempt is dropped first.
 */
const runOutside = (url: string, migration: Migration) =>
  withClient(url, async (client) => {
    const [, index] = /\bINDEX\s+CONCURRENTLY\s+IF\s+NOT\s+EXISTS\s+"?(\w+)"?/i.exec(migration.sql) ?? []
    const half = 'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid'
    if (index && (await client.query(half, [`public.${index}`])).rowCount)
      await client.query(`DROP INDEX CONCURRENTLY IF EXISTS public."${index}"`)
    await run(client, migration)
  })

/** Position in a migration for an editor, `20261201100000-invoices.sql:18:8`; only its name if the server reports no position. */
function placeIn({ name, sql }: Migration, position: number) {
  if (!position) return name
  const before = sql.slice(0, position - 1).split('\n')
  return `${name}.sql:${before.length}:${before.at(-1)!.length + 1}`
}

/**
 * Returns the first migration that isn't applied. Throws if an applied one was changed, or if the next one is older than an
 * applied one.
 */
async function nextOf(client: pg.Client, migrations: Migration[]) {
  await client.query(
    `CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  )
  const { rows } = await client.query<{ name: string; checksum: string }>('SELECT name, checksum FROM schema_migrations')
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  for (const { name, checksum } of migrations)
    if ((applied.get(name) ?? checksum) !== checksum)
      throw new Error(`Migration ${name} was changed after it had been applied. Write a new migration instead.`)
  const next = migrations.find(({ name }) => !applied.has(name))
  const last = [...applied.keys()].sort().at(-1) ?? ''
  if (next && next.name < last)
    throw new Error(
      `Migration ${relative(process.cwd(), next.file)} is dated before ${last}, which this database has applied: a new database would ` +
        'apply the two in the other order. Give its file a later name; npm run migration -- <module> <what> prints one behind all others.',
    )
  return next
}

/**
 * Revokes temporary tables from the request roles: by default every role may create them, in each database that is created or
 * restored.
 */
async function closeTemporary(client: pg.Client) {
  await client.query(`DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'app_tenant' AND has_database_privilege(oid, current_database(), 'TEMP')) THEN
      EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    END IF;
  END $$`)
}
