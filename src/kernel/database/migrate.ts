/** Applies the SQL migrations of the kernel and of every module folder, in the order of their timestamps. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import pg from 'pg'

export interface Migration {
  name: string
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
    return { name: basename(file, '.sql'), sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
  found.sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const [i, migration] of found.entries()) {
    if (!/^\d{14}-[a-z0-9-]+$/.test(migration.name))
      throw new Error(`Migration ${migration.name}: name it <yyyymmddhhmmss>-<what>.sql`)
    if (migration.name === found[i + 1]?.name) throw new Error(`Two migrations are named ${migration.name}`)
  }
  return found
}

/**
 * Brings the database up to date: all pending migrations in one transaction, under one advisory lock, so that several
 * processes may start at once and a failure leaves nothing half-done. Returns the names applied.
 * A transaction-level lock, because a session-level one would not survive PgBouncer.
 */
export async function migrate(url: string, migrations: Migration[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('atrium migrations', 0))`)
    await client.query(`SET LOCAL client_min_messages = warning`)
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    )
    const { rows } = await client.query<{ name: string; checksum: string }>('SELECT name, checksum FROM schema_migrations')
    const applied = new Map(rows.map((row) => [row.name, row.checksum]))
    const pending: string[] = []
    for (const migration of migrations) {
      const before = applied.get(migration.name)
      if (before === undefined) {
        await client.query(migration.sql).catch((error: Error) => {
          throw new Error(`Migration ${migration.name} failed: ${error.message}`, { cause: error })
        })
        await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [migration.name, migration.checksum])
        pending.push(migration.name)
      } else if (before !== migration.checksum) {
        throw new Error(`Migration ${migration.name} was changed after it had been applied. Write a new migration instead.`)
      }
    }
    await client.query('COMMIT')
    return pending
  } finally {
    await client.end()
  }
}
