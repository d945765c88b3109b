/** Applies the SQL migrations of the kernel and of every module folder, in the order of their timestamps. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { withClient } from './client.ts'

export interface Migration {
  name: string
  file: string
  sql: string
  checksum: string
}

/** The migrations found below the given folders (`<folder>/migrations/*.sql` and `<folder>/*\/migrations/*.sql`). */
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

/** The first line of a migration of one statement that no transaction may hold, such as CREATE INDEX CONCURRENTLY. */
export const OUTSIDE = '-- Outside a transaction'

/** Milliseconds that a migration waits for a lock: behind it waits all that comes to the table later. It is tried again. */
const LOCK_TIMEOUT = 2000
const LOCK_TRIES = 30
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Brings the database up to date and returns the names of the migrations that this call applied. Each migration has a transaction
 * of its own, so that a failing one leaves nothing half-done and those before it applied. Several processes may start at once: every
 * transaction takes the same advisory lock and then reads anew what is applied, so they take turns. (One lock for the whole run
 * would have to be a session's, which PgBouncer hands to somebody else.) Who comes second asks again and again: one that waits inside its
 * statement would be waited for by an index that is built beside the service. A lock that a migration doesn't get at once is given up and asked for
 * anew, so that no request waits behind it for long.
 */
export const migrate = (url: string, migrations: Migration[]): Promise<string[]> =>
  withClient(url, async (client) => {
    const done: string[] = []
    for (let tries = 1; ; ) {
      // On a cluster a new table may refer to those that lie there; `npm run distribute` lays it beside them. Elsewhere the setting means nothing.
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

/** Whether this process is the one that migrates, until the end of the transaction. */
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
  // No machine of a cluster lets this role in: what is done as it is done here alone.
  if (migration.sql.startsWith('SET LOCAL ROLE app_platform;')) await client.query('SET LOCAL citus.enable_ddl_propagation = off')
  await client.query(migration.sql).catch((error: Error & { position?: string }) => {
    throw new Error(`Migration ${placeIn(migration, Number(error.position))} failed: ${error.message}`, { cause: error })
  })
}

/**
 * On a connection of its own, beside the transaction that holds the turn. It may have been interrupted before it was written down, so the
 * statement has to bear a second time (IF NOT EXISTS); the invalid index that is left then is dropped first.
 */
const runOutside = (url: string, migration: Migration) =>
  withClient(url, async (client) => {
    const [, index] = /\bINDEX\s+CONCURRENTLY\s+IF\s+NOT\s+EXISTS\s+"?(\w+)"?/i.exec(migration.sql) ?? []
    const half = 'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid'
    if (index && (await client.query(half, [`public.${index}`])).rowCount)
      await client.query(`DROP INDEX CONCURRENTLY IF EXISTS public."${index}"`)
    await run(client, migration)
  })

/** A place in a migration as an editor opens it, `20261201100000-invoices.sql:18:8`; its name alone where the server names no place. */
function placeIn({ name, sql }: Migration, position: number) {
  if (!position) return name
  const before = sql.slice(0, position - 1).split('\n')
  return `${name}.sql:${before.length}:${before.at(-1)!.length + 1}`
}

/** The first migration that isn't applied. Throws when one that is was changed since, and when it is dated before one that is. */
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

/** Temporary tables are everybody's by default, in each database that is made or restored: neither role of a request may make any. */
async function closeTemporary(client: pg.Client) {
  await client.query(`DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'app_tenant' AND has_database_privilege(oid, current_database(), 'TEMP')) THEN
      EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    END IF;
  END $$`)
}
