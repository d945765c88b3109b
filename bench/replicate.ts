/**
 * Multiplies a workspace's demo data into large or many workspaces, driven by the database catalogue: every row belongs to its
 * workspace by `tenant_id`, and every reference includes it. For benchmarks and tests only: it runs as superuser without triggers
 * and foreign keys. Callers must run VACUUM ANALYZE afterwards.
 */
import pg from 'pg'

interface Table {
  name: string
  columns: string[]
  /** Columns that reference rows of workspace tables, with the table. */
  references: Map<string, string>
  /** Columns of each unique index without `tenant_id`. */
  uniques: string[][]
  types: Map<string, string>
  nullable: Set<string>
  /** Text columns with a fixed set of values. */
  checked: Set<string>
  /** First column that the search covers. */
  searched?: string
  /** Whether it has values that are unique across workspaces (hosts, tokens). */
  isDirectory: boolean
}

/**
 * Tables that aren't copied: what a company has few of, what belongs to users, and the service's own data. All copies share their
 * rows.
 */
const FEW =
  /^(users|roles|user_roles|departments|department_managers|warehouses|acceptance_links|record_tallies|number_counters|storage_usage|stored_files|daily_digests|\w+_categories|\w+_stages|\w+_reasons|\w+_templates|lead_tags|lead_import\w*|lead_ad_\w+|lead_recipient_turns|lead_webhook_(endpoints|signatures)|email_(accounts|folders|labels|signatures|quarantine|events)|branded_\w+|workspace_\w+|module_subscriptions|subscription_\w+|billing_\w+|ledger_\w+|payment_customers|unproven_workspaces|job_\w+|idempotency_keys|access_\w+|one_time_tokens|two_factors|passkeys|sign_in_directory|short_link_codes|\w+_impersonations|fcm_\w+|notification_preferences|users_deleted_with_tenant)$/

async function catalogue(client: pg.Client): Promise<Table[]> {
  const { rows: columns } = await client.query<{
    table: string
    column: string
    type: string
    generated: boolean
    nullable: boolean
    checked: boolean
  }>(`
    SELECT c.relname AS table, a.attname AS column, a.atttypid::regtype::text AS type, a.attgenerated <> '' AS generated, NOT a.attnotnull AS nullable,
      EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' AND a.attnum = ANY (k.conkey) AND pg_get_constraintdef(k.oid) LIKE '%= ANY (%') AS checked
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND EXISTS (SELECT FROM pg_attribute t WHERE t.attrelid = c.oid AND t.attname = 'tenant_id') ORDER BY 1, a.attnum`)
  const { rows: keys } = await client.query<{ table: string; column: string; target: string }>(`
    SELECT k.conrelid::regclass::text AS table, a.attname AS column, k.confrelid::regclass::text AS target
    FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
    WHERE k.contype = 'f' AND a.attname <> 'tenant_id'`)
  const { rows: indexes } = await client.query<{ table: string; parts: string[] }>(`
    SELECT i.indrelid::regclass::text AS table, array_agg(pg_get_indexdef(i.indexrelid, n, false)) AS parts
    FROM pg_index i CROSS JOIN generate_series(1, i.indnkeyatts) n WHERE i.indisunique GROUP BY i.indexrelid, 1`)
  const { rows: searches } = await client.query<{ table: string; text: string }>(`
    SELECT d.adrelid::regclass::text AS table, pg_get_expr(d.adbin, d.adrelid) AS text
    FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum WHERE a.attname = 'search_text'`)
  return [...Map.groupBy(columns, ({ table }) => table)].map(([name, all]) => {
    /** Returns the columns named by an index or an expression, in order. */
    const namedIn = (text: string) => text.match(/\w+/g)?.filter((word) => all.some(({ column }) => column === word)) ?? []
    const typeOf = (name: string) => all.find(({ column }) => column === name)?.type
    const own = indexes.filter(({ table }) => table === name).map(({ parts }) => parts.flatMap(namedIn))
    return {
      name,
      columns: all.filter(({ generated }) => !generated).map(({ column }) => column),
      references: new Map(keys.filter(({ table }) => table === name).map(({ column, target }) => [column, target])),
      uniques: own.map((some) => some.filter((column) => column !== 'tenant_id')),
      types: new Map(all.map(({ column, type }) => [column, type])),
      nullable: new Set(all.flatMap(({ column, nullable }) => (nullable ? [column] : []))),
      checked: new Set(all.flatMap(({ column, checked }) => (checked ? [column] : []))),
      searched: searches.filter(({ table }) => table === name).flatMap(({ text }) => namedIn(text))[0],
      isDirectory: own.some((some) => !some.some((column) => column === 'tenant_id' || typeOf(column) === 'uuid')),
    }
  })
}

/** Difference between the ids of two copies. */
const SHIFT = 10_000_000
/** Maximum number of child rows (lines, tags, clicks) per record. */
const PARTS = 6

/**
 * Copies the records of a workspace until there are about `rows` of each type, and their child rows as often. Returns the copied
 * tables. Searchable texts differ between copies.
 */
export async function multiply(url: string, tenantId: number, rows: number, tell: (what: string) => void = () => {}) {
  return quickly(url, async (client) => {
    const tables = new Map((await catalogue(client)).map((table) => [table.name, table]))
    const plan = await planOf(client, tables, tenantId, rows)
    for (const { name, copies, values } of plan) {
      const { columns } = tables.get(name)!
      const began = performance.now()
      const { rowCount } = await client.query(
        `INSERT INTO ${pg.escapeIdentifier(name)} (${columns.map((one) => pg.escapeIdentifier(one)).join()}) OVERRIDING SYSTEM VALUE
         SELECT ${columns.map((column) => values.get(column) ?? own(column)).join()}
         FROM ${pg.escapeIdentifier(name)} t CROSS JOIN generate_series(1, $2::int) AS copies (copy_no) WHERE t.tenant_id = $1`,
        [tenantId, copies],
      )
      tell(`${name}: ${rowCount} rows in ${((performance.now() - began) / 1000).toFixed(1)} s`)
      await client.query('UPDATE record_tallies SET n = n * ($2::int + 1) WHERE tenant_id = $1 AND kind = $3', [
        tenantId,
        copies,
        name,
      ])
    }
    return plan.map(({ name }) => name)
  })
}

const own = (column: string) => `t.${pg.escapeIdentifier(column)}`

interface Copying {
  name: string
  copies: number
  /** SQL of the columns that differ in a copy. */
  values: Map<string, string>
}

/** Plans how often and how each table is copied, so that unique values stay unique. */
async function planOf(client: pg.Client, tables: Map<string, Table>, tenantId: number, rows: number): Promise<Copying[]> {
  const planned = new Map<string, Copying>()
  const sizes = new Map<string, number>()
  for (const name of tables.keys()) {
    const { rowCount } = await client.query(`SELECT FROM ${pg.escapeIdentifier(name)} WHERE tenant_id = $1`, [tenantId])
    sizes.set(name, rowCount!)
  }
  const typesIn = async ({ name }: Table, column: string): Promise<string[]> => {
    const of = pg.escapeIdentifier(column)
    const found = await client.query(`SELECT DISTINCT ${of} AS type FROM ${pg.escapeIdentifier(name)} WHERE tenant_id = $1`, [
      tenantId,
    ])
    return found.rows.flatMap(({ type }) => type ?? [])
  }
  /** Returns the table of a type, which is its name or the record's: leads, lead. */
  const tableOf = (type: string) => [type, `${type}s`, type.replace(/y$/, 'ies'), `${type}es`].find((name) => tables.has(name))
  const copiesOf = async (name: string) => (await add(name))?.copies ?? 0

  async function add(name: string): Promise<Copying | undefined> {
    const table = tables.get(name)
    if (!table || FEW.test(name) || !sizes.get(name)) return undefined
    const known = planned.get(name)
    if (known) return known
    const one: Copying = { name, copies: Math.ceil(rows / sizes.get(name)!) - 1, values: new Map() }
    planned.set(name, one) // before the tables it references, which may reference it
    const belongsTo: number[] = []
    for (const column of table.columns) {
      const type = table.types.get(column)!
      if (type === 'uuid') one.values.set(column, 'gen_random_uuid()')
      else if (column === 'id') one.values.set(column, `${own(column)} + copy_no * ${SHIFT}::bigint`)
      else if (column === 'created_at') one.values.set(column, `${own(column)} - copy_no * interval '7 minutes'`)
      else if (type !== 'bigint') continue
      const kind = column.replace(/_id$/, '_type')
      // modules reference each other without foreign keys
      const target = table.references.get(column) ?? column.replace(/_id$/, 's')
      if (kind !== column && table.columns.includes(kind)) {
        const cases: string[] = []
        for (const type of await typesIn(table, kind)) {
          const copies = await copiesOf(tableOf(type) ?? '')
          if (copies) cases.push(`WHEN ${pg.escapeLiteral(type)} THEN ${copies + 1}`)
        }
        if (cases.length)
          one.values.set(
            column,
            `${own(column)} + copy_no % (CASE ${own(kind)} ${cases.join(' ')} ELSE 1 END) * ${SHIFT}::bigint`,
          )
      } else if (target === name) one.values.set(column, `${own(column)} + copy_no * ${SHIFT}::bigint`)
      else if (await copiesOf(target)) {
        const copies = await copiesOf(target)
        one.values.set(column, `${own(column)} + copy_no % ${copies + 1} * ${SHIFT}::bigint`)
        belongsTo.push(copies)
      }
    }
    if (!table.columns.includes('deleted_at') && belongsTo.length)
      one.copies = Math.min(Math.max(...belongsTo), Math.ceil((rows * PARTS) / sizes.get(name)!))
    const { searched } = table
    if (searched && table.types.get(searched) === 'text' && !table.checked.has(searched))
      one.values.set(searched, `${own(searched)} || '-' || copy_no`)
    for (const unique of table.uniques) await keepUnique(table, unique, one)
    if (one.copies < 1) planned.delete(name)
    return planned.get(name)
  }

  async function keepUnique(table: Table, unique: string[], one: Copying) {
    const differs = (column: string) => column === 'id' || table.types.get(column) === 'uuid' || column === table.searched
    if (unique.some((column) => differs(column) && one.values.has(column))) return
    const text = unique.find((c) => table.types.get(c) === 'text' && !table.checked.has(c) && !c.endsWith('_type'))
    if (text) return void one.values.set(text, `${own(text)} || '-' || copy_no`)
    const limits: number[] = []
    for (const column of unique) {
      const kind = column.replace(/_id$/, '_type')
      if (!one.values.has(column)) continue
      const targets = table.columns.includes(kind)
        ? (await typesIn(table, kind)).map((type) => tableOf(type) ?? '')
        : [table.references.get(column) ?? column.replace(/_id$/, 's')]
      const copies = targets.includes(table.name) ? [one.copies] : await Promise.all(targets.map(copiesOf))
      limits.push(Math.min(...copies))
    }
    if (limits.some((limit) => limit > 0)) return void (one.copies = Math.min(one.copies, Math.max(...limits)))
    const figure = unique.find((column) => table.types.get(column) === 'integer')
    if (figure) {
      const range = `SELECT max(${pg.escapeIdentifier(figure)}) FROM ${pg.escapeIdentifier(table.name)} WHERE tenant_id = $1`
      return void one.values.set(figure, `${own(figure)} + (copy_no * (${range}))::int`)
    }
    const optional = unique.find((column) => table.nullable.has(column))
    if (optional) one.values.set(optional, 'NULL')
    else one.copies = 0
  }

  for (const name of tables.keys()) await add(name)
  return [...planned.values()]
}

/** Creates workspaces that have another one's rows with the same ids, at most `rows` of each type. Returns their ids. */
export async function spread(url: string, tenantId: number, many: number, rows: number): Promise<number[]> {
  return quickly(url, async (client) => {
    const tables = await catalogue(client)
    const { rows: found } = await client.query<{ first: number }>('SELECT (max(id) + 1)::int AS first FROM tenants')
    const first = found[0]!.first
    const { rows: tenant } = await client.query<{ column: string }>(
      `SELECT attname AS column FROM pg_attribute WHERE attrelid = 'tenants'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    )
    const kept = tenant.map(({ column }) => column).filter((column) => !['id', 'slug', 'uuid'].includes(column))
    const hasUuid = tenant.some(({ column }) => column === 'uuid')
    await client.query(
      `INSERT INTO tenants (id, slug ${hasUuid ? ', uuid' : ''}, ${kept.join()})
       SELECT copy_no, slug || '-' || copy_no ${hasUuid ? ', gen_random_uuid()' : ''}, ${kept.join()} FROM tenants CROSS JOIN generate_series($2::int, $3::int) AS copies (copy_no) WHERE id = $1`,
      [tenantId, first, first + many - 1],
    )
    for (const { name, columns, types, isDirectory } of tables) {
      if (isDirectory) continue
      const values = columns.map((column) =>
        column === 'tenant_id' ? 'copy_no' : types.get(column) === 'uuid' ? 'gen_random_uuid()' : own(column),
      )
      await client.query(
        `INSERT INTO ${pg.escapeIdentifier(name)} (${columns.map((one) => pg.escapeIdentifier(one)).join()}) OVERRIDING SYSTEM VALUE
         SELECT ${values.join()} FROM (SELECT * FROM ${pg.escapeIdentifier(name)} WHERE tenant_id = $1 LIMIT ${rows}) t
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
    return await work(client)
  } finally {
    await client.end()
  }
}
