/**
 * Writes the table types for Kysely next to the migrations that create the tables: `src/kernel/database/tables.ts` and each
 * module's `tables.ts`. With --check it writes nothing and lists stale files.
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { findMigrations, migrate } from '#kernel/database/migrate.ts'
import { migrationFolders, sourceRoot } from '#kernel/process/start.ts'

interface Column {
  table: string
  name: string
  type: string
  nullable: boolean
  /** May be omitted in an insert. */
  optional: boolean
  /** Can never be written. */
  always: boolean
  checks: string[]
}

/** Column with the folder of the migration that added it, and of the one that created its table. */
type Owned = Column & { folder: string; home: string }

const root = join(sourceRoot, '..')
const kernel = join(sourceRoot, 'kernel')
const fixtures = ['modules', 'jobs'].map((folder) => join(root, 'test/fixtures', folder))

async function ownedColumns(): Promise<Owned[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-types-'))
  const server = await startEmbedded({ dataDir, settings: { fsync: 'off' } })
  const client = new pg.Client({ connectionString: server.url })
  try {
    await client.connect()
    const folders = new Map<string, string>()
    let columns: Column[] = []
    const migrations = findMigrations(migrationFolders([sourceRoot, ...fixtures]))
    for (const [n, { file }] of migrations.entries()) {
      await migrate(server.url, migrations.slice(0, n + 1))
      columns = (await client.query<Column>(catalogue)).rows
      for (const { table, name } of columns)
        for (const made of [table, `${table}.${name}`]) folders.getOrInsert(made, dirname(dirname(file)))
    }
    const folderOf = (made: string) => folders.get(made)!
    return columns.map((one) => {
      const home = folderOf(one.table)
      const folder = folderOf(`${one.table}.${one.name}`)
      // the kernel knows no module: a column that it adds to all tables belongs to each table's module
      return { ...one, folder: folder === kernel ? home : folder, home }
    })
  } finally {
    await client.end()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const catalogue = `
  SELECT c.relname AS table, a.attname AS name, t.typname AS type, NOT a.attnotnull AS nullable,
    a.atthasdef OR a.attidentity <> '' AS optional, a.attgenerated <> '' OR a.attidentity = 'a' AS always,
    ARRAY(SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum]) AS checks
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname, a.attname`

const types: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  json: 'Json',
  jsonb: 'Json',
  numeric: 'Numeric',
  text: 'string',
  timestamptz: 'string',
  time: 'string',
  uuid: 'string',
}

function typeOf({ table, name, type, nullable, optional, always, checks }: Column) {
  const array = type.startsWith('_')
  const plain = types[type.slice(Number(array))]
  if (!plain) throw new Error(`${table}.${name} has the type ${type}, which tools/table-types.ts doesn't know`)
  const one = checks.map(allowedBy).find(Boolean) ?? plain
  const some = array ? (one.includes('|') ? `(${one})[]` : `${one}[]`) : one
  const value = nullable ? `${some} | null` : some
  const read = value.replace('Numeric', 'string') // generated columns are only read
  return always ? `GeneratedAlways<${read}>` : optional ? `Generated<${value}>` : value
}

/**
 * Returns the union type of the texts permitted by `CHECK (status IN ('draft', 'sent'))` or `CHECK (days <@ ARRAY['mon',
 * 'tue'])`.
 */
function allowedBy(check: string) {
  const [, list] = /^CHECK \(\(\w+ (?:= ANY \(|<@ |= )(?:ARRAY\[)?((?:'[^']*'::text(?:, )?)+)\]?\)?\)\)?$/.exec(check) ?? []
  return list?.replaceAll('::text', '').replaceAll(', ', ' | ')
}

const pascal = (table: string) => table.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

const interfaceOf = (table: string, columns: Column[], indent = '') =>
  [
    `${indent}${indent ? '' : 'export '}interface ${pascal(table)} {`,
    ...columns.map((column) => `${indent}  ${column.name}: ${typeOf(column)}`),
    `${indent}}`,
  ].join('\n')

const databaseOf = (tables: string[], indent: string) =>
  [`${indent}interface DB {`, ...tables.map((table) => `${indent}  ${table}: ${pascal(table)}`), `${indent}}`].join('\n')

const pathOf = (folder: string) => join(folder, folder === kernel ? 'database/tables.ts' : 'tables.ts')

/** Returns the import path of another folder's types. */
const aliasOf = (folder: string) => `#${relative(sourceRoot, pathOf(folder))}`

const NOTICE = '/** Written by `npm run types` from the migrations. Changes made by hand are lost. */\n'

const kernelTypes = `import type { ColumnType, GeneratedAlways } from 'kysely'

/** May be left out of an insert. */
export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>

/** An exact decimal: text when it is read. */
export type Numeric = ColumnType<string, number | string, number | string>

export type Json = boolean | number | string | null | Json[] | { [key: string]: Json | undefined }
`

/** Returns the content of a folder's file: its own tables, then the columns that it adds to other tables. */
function fileOf(folder: string, columns: Owned[]) {
  const tables = Map.groupBy(
    columns.filter((column) => column.folder === folder),
    ({ table }) => table,
  )
  const own = [...tables].flatMap(([table, [first]]) => (first!.home === folder ? table : []))
  const interfaces = own.map((table) => `${interfaceOf(table, tables.get(table)!)}\n`)
  if (folder === kernel) return [NOTICE, kernelTypes, ...interfaces, `export ${databaseOf(own, '')}\n`].join('\n')

  const merged = [...tables].flatMap(([table, added]) =>
    added[0]!.home === folder ? [] : `declare module '${aliasOf(added[0]!.home)}' {\n${interfaceOf(table, added, '  ')}\n}\n`,
  )
  if (own.length) merged.push(`declare module '#kernel/database/tables.ts' {\n${databaseOf(own, '  ')}\n}\n`)
  const body = [...interfaces, ...merged].join('\n')
  const needed = (names: string[]) => names.filter((name) => new RegExp(`\\b${name}\\b`).test(body)).join(', ')
  const fromKysely = needed(['GeneratedAlways'])
  const fromKernel = needed(['Generated', 'Json', 'Numeric'])
  const imports = [
    fromKysely && `import type { ${fromKysely} } from 'kysely'\n`,
    fromKernel && `import type { ${fromKernel} } from '#kernel/database/tables.ts'\n`,
    // A file without imports and exports would declare the modules below instead of augmenting them.
    !(fromKysely || fromKernel || own.length) && 'export {}\n',
  ]
    .filter(Boolean)
    .join('')
  return [NOTICE, imports, body].filter(Boolean).join('\n')
}

const columns = await ownedColumns()
const files = new Map(
  [...new Set(columns.map(({ folder }) => folder))].map((folder) => [pathOf(folder), fileOf(folder, columns)]),
)
const left = globSync('{src,test/fixtures/*}/*/*/tables.ts', { cwd: root })
  .map((path) => join(root, path))
  .filter((path) => !files.has(path))
const stale = [...files].filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text).map(([path]) => path)

if (process.argv.includes('--check')) {
  for (const path of [...stale, ...left]) console.error(`Stale: ${relative(root, path)}. Run npm run types.`)
  process.exitCode = stale.length + left.length ? 1 : 0
} else {
  for (const path of stale) writeFileSync(path, files.get(path)!)
  for (const path of left) rmSync(path)
}
