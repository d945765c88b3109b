/**
 * Copies all rows of a database to another one with the same schema: from the embedded PostgreSQL to a separate server of any
 * version.
 */
import type pg from 'pg'
import { withClient } from './client.ts'

const SCHEMAS = ['public', 'pgboss']
/** Rows per statement. */
const BATCH = 500
/** Makes the text form of values independent of both servers' settings. */
const SPELLING = `SET LOCAL DateStyle = 'ISO'; SET LOCAL IntervalStyle = 'postgres'; SET LOCAL TimeZone = 'UTC'; SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 1`

interface Table {
  name: string
  /** Without generated columns. */
  columns: string[]
  forced: boolean
}

/**
 * Replaces the rows of `to` by those of `from`, and returns their number. `from` is read by a role that sees all rows and
 * sequences; `to` is written by the owner of its tables. On an error, also one of `last`, which is called before the commit,
 * nothing changes. Unlogged tables stay as they are.
 */
export const moveRows = (from: string, to: string, last = async () => {}): Promise<number> =>
  withClient(from, (source) => withClient(to, (target) => replaceRows(source, target, last)))

async function replaceRows(source: pg.Client, target: pg.Client, last: () => Promise<void>) {
  await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await target.query('BEGIN')
  for (const client of [source, target]) await client.query(SPELLING)
  await source.query('SET LOCAL row_security = off') // an error instead of missing rows if the role may not read all
  await refuseHiddenSequences(source)
  const tables = await tablesOf(source)
  const closeUp = await openUp(target, tables)
  let rows = 0
  for (const table of tables) rows += await copyTable(source, target, table)
  await closeUp()
  await copySequences(source, target)
  await last()
  await target.query('COMMIT')
  return rows
}

async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT c.oid::regclass::text AS name, c.relforcerowsecurity AS forced,
       (SELECT array_agg(quote_ident(attname) ORDER BY attnum) FROM pg_attribute
        WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns
     FROM pg_class c WHERE relnamespace::regnamespace::text = ANY ($1) AND relkind IN ('r', 'p') AND NOT relispartition AND relpersistence = 'p' ORDER BY 1`,
    [SCHEMAS],
  )
  return rows
}

/**
 * Disables triggers and row-level security, drops foreign keys, and empties the tables, so that rows can be inserted in any
 * order. Returns a function that restores all, and thereby checks the foreign keys.
 */
async function openUp(client: pg.Client, tables: Table[]) {
  const each = (change: string, some = tables) => some.map(({ name }) => `ALTER TABLE ${name} ${change};`).join('\n')
  const { rows: keys } = await client.query<{ table: string; name: string; definition: string }>(
    `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND connamespace::regnamespace::text = ANY ($1)`,
    [SCHEMAS],
  )
  const forced = tables.filter((table) => table.forced)
  await client.query(each('DISABLE TRIGGER USER') + each('NO FORCE ROW LEVEL SECURITY', forced))
  await client.query(keys.map(({ table, name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name};`).join('\n'))
  await client.query(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`)
  return async () => {
    for (const { table, name, definition } of keys)
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
    await client.query(each('ENABLE TRIGGER USER') + each('FORCE ROW LEVEL SECURITY', forced))
  }
}

/** Copies rows as the text of the whole row, which PostgreSQL parses back exactly. */
async function copyTable(source: pg.Client, target: pg.Client, { name, columns }: Table) {
  const values = columns.map((column) => `(whole).${column}`).join(', ')
  const insert = `INSERT INTO ${name} (${columns.join(', ')}) OVERRIDING SYSTEM VALUE
    SELECT ${values} FROM (SELECT text::${name} AS whole FROM unnest($1::text[]) AS text OFFSET 0) AS given`
  let copied = 0
  await source.query(`DECLARE every CURSOR FOR SELECT each::text AS whole FROM ${name} AS each`)
  for (;;) {
    const { rows } = await source.query<{ whole: string }>(`FETCH ${BATCH} FROM every`)
    if (!rows.length) break
    await target.query(insert, [rows.map(({ whole }) => whole)])
    copied += rows.length
  }
  await source.query('CLOSE every')
  return copied
}

/** Throws if the role can't read a sequence, which would look like one that was never used. */
async function refuseHiddenSequences(source: pg.Client) {
  const { rows } = await source.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, sequencename) AS name FROM pg_sequences
     WHERE schemaname = ANY ($1) AND NOT has_sequence_privilege(format('%I.%I', schemaname, sequencename), 'SELECT, USAGE')`,
    [SCHEMAS],
  )
  if (rows.length) throw new Error(`The role may not read the counter ${rows[0]!.name}: name one that may read everything.`)
}

async function copySequences(source: pg.Client, target: pg.Client) {
  const { rows } = await source.query<{ name: string; last: string }>(
    `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value AS last FROM pg_sequences
     WHERE schemaname = ANY ($1) AND last_value IS NOT NULL`,
    [SCHEMAS],
  )
  for (const { name, last } of rows) await target.query('SELECT setval($1::regclass, $2)', [name, last])
}
