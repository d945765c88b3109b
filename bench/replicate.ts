/**
 * Makes large workspaces and many of them out of one filled with the demo's data, by the catalogue: every row of a workspace belongs to it by
 * `tenant_id`, and every reference names it too. For benchmarks only: as superuser, without triggers and checks.
 */
import pg from 'pg'

interface Table {
  name: string
  columns: string[]
  /** Columns that refer to rows of a table of workspaces, with that table. */
  references: Map<string, string>
  /** Text columns that a unique index counts on. */
  unique: Set<string>
  uuids: Set<string>
  ids: Set<string>
  /** What is unique over all workspaces (hosts, tokens). */
  isDirectory: boolean
}

/** Whose rows are what a firm has few of, or what belongs to people: they stay one for all copies. */
const SHARED =
  /^(two_factors|\w*impersonations|subscription_events|users|roles|user_roles|employees|departments|employee_\w+|access_tokens|one_time_tokens|passkeys|sign_in_directory|module_subscriptions\w*|workspace_\w+|\w+_categories|\w+_stages|\w+_settings|\w+_templates|number_counters|record_tallies|job_\w+|idempotency_keys|rate_limits|email_\w+|audit_logs|warehouses|ledger_\w+|gateway_\w+|stored_files|branded\w*|brand\w*|tenant\w*|short_link_directory|\w+_directory|lead_\w+|stock_\w+|notifications|fcm_\w+|notification_\w+|mail\w*|impersonat\w*|attendance_\w+|payment_gateway\w*|acceptance_\w+|acceptances|document_links|project_members|activities)$/

export async function catalogue(client: pg.Client): Promise<Table[]> {
  const { rows: columns } = await client.query<{ table: string; column: string; type: string; generated: boolean }>(`
    SELECT c.relname AS table, a.attname AS column, a.atttypid::regtype::text AS type, a.attgenerated <> '' AS generated
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind = 'r' AND EXISTS (SELECT FROM pg_attribute t WHERE t.attrelid = c.oid AND t.attname = 'tenant_id') ORDER BY 1, a.attnum`)
  const { rows: keys } = await client.query<{ table: string; column: string; target: string }>(`
    SELECT k.conrelid::regclass::text AS table, a.attname AS column, k.confrelid::regclass::text AS target
    FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
    WHERE k.contype = 'f' AND a.attname <> 'tenant_id'`)
  const { rows: uniques } = await client.query<{ table: string; column: string }>(`
    SELECT i.indrelid::regclass::text AS table, a.attname AS column FROM pg_index i
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::int2[]) WHERE i.indisunique`)
  const { rows: directories } = await client.query<{ table: string }>(`
    SELECT DISTINCT i.indrelid::regclass::text AS table FROM pg_index i JOIN pg_attribute t ON t.attrelid = i.indrelid AND t.attname = 'tenant_id'
    WHERE i.indisunique AND NOT t.attnum = ANY (i.indkey::int2[])`)
  return [...Map.groupBy(columns, ({ table }) => table)].map(([name, all]) => ({
    name,
    columns: all.filter(({ generated }) => !generated).map(({ column }) => column),
    references: new Map(keys.filter(({ table }) => table === name).map(({ column, target }) => [column, target])),
    unique: new Set(
      uniques.flatMap(({ table, column }) =>
        table === name && all.some((one) => one.column === column && one.type === 'text') ? [column] : [],
      ),
    ),
    uuids: new Set(all.filter(({ type }) => type === 'uuid').map(({ column }) => column)),
    ids: new Set(all.filter(({ type }) => type === 'bigint').map(({ column }) => column)),
    isDirectory: directories.some(({ table }) => table === name),
  }))
}

/** Room between the ids of two copies. */
const SHIFT = 10_000_000

/** Copies the records of a workspace so many times within it; gives the tables that were copied. */
export async function multiply(url: string, tenantId: number, times: number, tell: (what: string) => void): Promise<string[]> {
  return quickly(url, async (client) => {
    const tables = (await catalogue(client)).filter(({ name, columns }) => !SHARED.test(name) && columns.includes('id'))
    const copied = new Set(tables.map(({ name }) => name))
    for (const { name, columns, references, unique, uuids, ids } of tables) {
      const values = columns.map((column) => {
        const own = `t.${pg.escapeIdentifier(column)}`
        const target = references.get(column) ?? column.replace(/_id$/, 's') // modules refer to each other without foreign keys
        if (column === 'id' || (ids.has(column) && copied.has(target))) return `${own} + copy_no * ${SHIFT}::bigint`
        if (column === 'subject_id')
          return `CASE WHEN t.subject_type = ANY ($3) THEN ${own} + copy_no * ${SHIFT}::bigint ELSE ${own} END`
        if (column === 'created_at') return `${own} - copy_no * interval '7 minutes'`
        if (uuids.has(column)) return 'gen_random_uuid()'
        return unique.has(column) && column !== 'status' ? `${own} || '-' || copy_no` : own
      })
      const usesTypes = columns.includes('subject_id')
      const began = performance.now()
      const { rowCount } = await client.query(
        `INSERT INTO ${pg.escapeIdentifier(name)} (${columns.map((one) => pg.escapeIdentifier(one)).join()}) OVERRIDING SYSTEM VALUE
         SELECT ${values.join()} FROM ${pg.escapeIdentifier(name)} t CROSS JOIN generate_series(1, $2::int) AS copies (copy_no) WHERE t.tenant_id = $1`,
        [tenantId, times, ...(usesTypes ? [[...copied]] : [])],
      )
      if (rowCount && rowCount > 50_000) tell(`${name}: ${rowCount} rows in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    }
    await client.query('UPDATE record_tallies SET n = n * ($2::int + 1) WHERE tenant_id = $1 AND kind = ANY ($3)', [
      tenantId,
      times,
      [...copied],
    ])
    return [...copied]
  })
}

/** Of each table, in a workspace that is one of many. */
const MAX_ROWS = 10

/** Makes so many workspaces that have what one has, ids and all; gives their ids. */
export async function spread(url: string, tenantId: number, many: number): Promise<number[]> {
  return quickly(url, async (client) => {
    const tables = await catalogue(client)
    const { rows } = await client.query<{ first: number }>('SELECT (max(id) + 1)::int AS first FROM tenants')
    const first = rows[0]!.first
    const own = (columns: string[]) => columns.filter((column) => !['id', 'tenant_id', 'slug', 'uuid'].includes(column))
    const { rows: tenant } = await client.query<{ column: string }>(
      `SELECT attname AS column FROM pg_attribute WHERE attrelid = 'tenants'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    )
    const kept = own(tenant.map(({ column }) => column))
    const hasUuid = tenant.some(({ column }) => column === 'uuid')
    await client.query(
      `INSERT INTO tenants (id, slug ${hasUuid ? ', uuid' : ''}, ${kept.join()})
       SELECT copy_no, slug || '-' || copy_no ${hasUuid ? ', gen_random_uuid()' : ''}, ${kept.join()} FROM tenants CROSS JOIN generate_series($2::int, $3::int) AS copies (copy_no) WHERE id = $1`,
      [tenantId, first, first + many - 1],
    )
    for (const { name, columns, uuids, isDirectory } of tables) {
      if (isDirectory) continue
      const values = columns.map((column) =>
        column === 'tenant_id' ? 'copy_no' : uuids.has(column) ? 'gen_random_uuid()' : `t.${pg.escapeIdentifier(column)}`,
      )
      await client.query(
        `INSERT INTO ${pg.escapeIdentifier(name)} (${columns.map((one) => pg.escapeIdentifier(one)).join()}) OVERRIDING SYSTEM VALUE
         SELECT ${values.join()} FROM (SELECT * FROM ${pg.escapeIdentifier(name)} WHERE tenant_id = $1 LIMIT ${MAX_ROWS}) t
         CROSS JOIN generate_series($2::int, $3::int) AS copies (copy_no)`,
        [tenantId, first, first + many - 1],
      )
    }
    return Array.from({ length: many }, (_, n) => first + n)
  })
}

async function quickly<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query('SET session_replication_role = replica; SET synchronous_commit = off; SET statement_timeout = 0')
    const result = await work(client)
    await client.query('VACUUM (ANALYZE)')
    return result
  } finally {
    await client.end()
  }
}
