/**
 * Distributes a database over the nodes of a Citus cluster, according to the layout of each table in `table_layouts`
 * (docs/scaling.md).
 */
import type pg from 'pg'
import { clusterProblems } from './cluster.ts'
import { alone, forcePolicies } from './shards.ts'

/** Layouts that concern the cluster, in the order in which tables are distributed. */
const LAYOUTS = ['reference', 'distributed', 'citus_local'] as const

interface Table {
  name: string
  layout: (typeof LAYOUTS)[number]
  /** An earlier version distributed it over the nodes. */
  is_spread: boolean
}

/** Numbers of distributed tables and rows. */
export interface Distributed {
  tables: number
  rows: number
}

/**
 * Distributes every table that isn't yet, with its rows, each in a separate transaction; after an interruption the next call
 * continues. Returns the number of tables and rows. `url` is that of the tables' owner; no other client may be connected. Throws
 * the cluster's problems before any change.
 */
export const distribute = (url: string, say: (text: string) => void): Promise<Distributed> =>
  alone(url, async (client) => {
    if (await othersAreConnected(client)) throw new Error('The service is connected to the database: stop it first.')
    await refuseUnready(client)
    await prepareRoles(client)
    await prepareTriggers(client)
    const tables = await pendingTables(client)
    await setKeysAside(
      client,
      tables.map(({ name }) => name),
    )
    for (const { name, is_spread } of tables) if (is_spread) await takeBack(client, name)
    await prepareDirectory(client)
    await grantOperator(client)
    await guardOperator(client)
    let rows = 0
    for (const [n, table] of tables.entries()) {
      const found = await layOut(client, table)
      rows += found
      say(`${n + 1} of ${tables.length}: ${table.name}, ${table.layout}${found ? `, ${found} rows` : ''}`)
    }
    await putKeysBack(client, say)
    await forcePolicies(client)
    return { tables: tables.length, rows }
  })

/**
 * Request roles must be able to log in, because nodes connect to each other with the current role. The operator's role exists
 * only on a cluster.
 */
async function prepareRoles(client: pg.Client) {
  const { rows } = await client.query<{ rolname: string; rolcanlogin: boolean }>(
    "SELECT rolname, rolcanlogin FROM pg_roles WHERE rolname IN ('app_tenant', 'app_platform', 'app_operator')",
  )
  for (const { rolname, rolcanlogin } of rows) if (!rolcanlogin) await client.query(`ALTER ROLE ${rolname} LOGIN`)
  if (!rows.some(({ rolname }) => rolname === 'app_operator')) await client.query('CREATE ROLE app_operator LOGIN')
  const { rows: granted } = await client.query<{ version: number; granted: boolean }>(
    `SELECT current_setting('server_version_num')::int AS version,
       EXISTS (SELECT FROM pg_auth_members WHERE roleid = 'app_operator'::regrole AND member = current_user::regrole) AS granted`,
  )
  const inherits = granted[0]!.version >= 160000 ? 'WITH INHERIT FALSE, SET TRUE' : ''
  if (!granted[0]!.granted || inherits) await client.query(`GRANT app_operator TO CURRENT_USER ${inherits}`)
}

/** Gives the operator's role every privilege of app_platform. */
async function grantOperator(client: pg.Client) {
  const { rows } = await client.query<{ statement: string }>(
    `WITH granted AS (
       SELECT 'SCHEMA' AS kind, quote_ident(nspname) AS object, nspacl AS acl FROM pg_namespace WHERE nspname IN ('app', 'public')
       UNION ALL SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, oid::regclass::text, relacl FROM pg_class
         WHERE relnamespace IN ('public'::regnamespace, 'app'::regnamespace) AND relkind IN ('r', 'p', 'S')
       UNION ALL SELECT 'FUNCTION', oid::regprocedure::text, proacl FROM pg_proc WHERE pronamespace = 'app'::regnamespace AND proowner <> 'app_platform'::regrole)
     SELECT format('GRANT %s ON %s %s TO app_operator', string_agg(a.privilege_type, ', '), kind, object) AS statement
     FROM granted, aclexplode(acl) a WHERE a.grantee = 'app_platform'::regrole
       AND NOT EXISTS (SELECT FROM aclexplode(acl) had WHERE had.grantee = 'app_operator'::regrole AND had.privilege_type = a.privilege_type)
     GROUP BY kind, object`,
  )
  for (const { statement } of rows) await client.query(statement)
}

/**
 * Triggers increment a workspace's revision when data that its sessions depend on changes. On a cluster they run with the
 * caller's privileges, because with two roles in a transaction neither sees the other's changes. `tenants` changes on every node;
 * only the trigger on the node with the revision increments it.
 */
async function prepareTriggers(client: pg.Client) {
  // Detected by the trigger, which is replaced last: after an interrupted command the function may already exist.
  const { rows: former } = await client.query<{ definition: string }>(
    `SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE tgrelid = 'tenants'::regclass AND tgname = 'access_revision'
       AND tgfoid = to_regprocedure('app.bump_workspace_revision()')`,
  )
  if (!former[0]) return
  const { definition } = former[0]
  await client.query('GRANT INSERT, UPDATE ON access_revisions TO app_tenant')
  await inTransaction(client, async () => {
    await client.query('SET LOCAL ROLE app_platform')
    await client.query('ALTER FUNCTION app.bump_access_revision() SECURITY INVOKER')
  })
  await client.query(`CREATE OR REPLACE FUNCTION app.bump_workspace_revision_here() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
    BEGIN
      IF EXISTS (SELECT FROM pg_dist_placement p JOIN pg_dist_local_group USING (groupid)
        WHERE p.shardid = get_shard_id_for_distribution_column('access_revisions', NEW.id)) THEN
        INSERT INTO access_revisions AS r (tenant_id, revision) VALUES (NEW.id, 1) ON CONFLICT (tenant_id) DO UPDATE SET revision = r.revision + 1;
      END IF;
      RETURN NULL;
    END $$`)
  await inTransaction(client, async () => {
    await client.query('DROP TRIGGER access_revision ON tenants')
    await client.query(definition.replace('app.bump_workspace_revision()', 'app.bump_workspace_revision_here()'))
  })
}

/**
 * The sign-in directory is on the coordinator, out of reach of the triggers that maintain it on a single server. Code that writes
 * to `users` maintains it instead (kernel/auth/directory.ts), each workspace its own rows.
 */
async function prepareDirectory(client: pg.Client) {
  for (const trigger of ['sign_in_new', 'sign_in_change']) await client.query(`DROP TRIGGER IF EXISTS ${trigger} ON users`)
  const { rowCount } = await client.query("SELECT FROM pg_class WHERE oid = 'sign_in_directory'::regclass AND relrowsecurity")
  if (rowCount) return
  const mine = `tenant_id = nullif(current_setting('app.tenant_id', true), '')::bigint`
  await inTransaction(client, async () => {
    for (const change of ['ENABLE', 'FORCE']) await client.query(`ALTER TABLE sign_in_directory ${change} ROW LEVEL SECURITY`)
    await client.query(`CREATE POLICY workspace ON sign_in_directory TO app_tenant USING (${mine}) WITH CHECK (${mine})`)
    await client.query('CREATE POLICY platform ON sign_in_directory TO app_platform USING (true) WITH CHECK (true)')
    await client.query('GRANT SELECT, INSERT, DELETE ON sign_in_directory TO app_tenant')
  })
}

/** Throws the problems that prevent distribution of a database, each with a remedy. */
export const checkReadiness = (url: string): Promise<void> => alone(url, refuseUnready)

async function refuseUnready(client: pg.Client) {
  const problems = await clusterProblems(client)
  if (problems.length)
    throw new Error(`The database can't be distributed yet:\n${problems.map((one) => `  - ${one}`).join('\n')}`)
}

async function othersAreConnected(client: pg.Client) {
  const { rowCount } = await client.query(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'atrium%' AND pid <> pg_backend_pid()",
  )
  return Boolean(rowCount)
}

/** Tables that aren't distributed yet, and those that a migration has moved to the coordinator. */
async function pendingTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT l.name, l.layout, p.logicalrelid IS NOT NULL AS is_spread
     FROM table_layouts l LEFT JOIN pg_dist_partition p ON p.logicalrelid = to_regclass('public.' || quote_ident(l.name))
     WHERE l.layout <> 'local' AND to_regclass('public.' || quote_ident(l.name)) IS NOT NULL
       AND (p.logicalrelid IS NULL OR l.layout = 'citus_local' AND p.partmethod = 'h')
     ORDER BY array_position($1, l.layout), l.name`,
    [LAYOUTS],
  )
  return rows
}

/**
 * Drops foreign keys of the tables to distribute, because each would distribute the linked tables too. Their definitions are
 * stored in a table until they are restored.
 */
async function setKeysAside(client: pg.Client, tables: string[]) {
  await client.query(
    'CREATE TABLE IF NOT EXISTS app.keys_set_aside (tbl text, name text, definition text NOT NULL, PRIMARY KEY (tbl, name))',
  )
  const { rows: keys } = await client.query<{ tbl: string; name: string; definition: string }>(
    `SELECT conrelid::regclass::text AS tbl, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE contype = 'f' AND conparentid = 0 AND (conrelid::regclass::text = ANY ($1) OR confrelid::regclass::text = ANY ($1))`,
    [tables],
  )
  if (!keys.length) return
  await inTransaction(client, async () => {
    await client.query(
      `INSERT INTO app.keys_set_aside SELECT * FROM jsonb_to_recordset($1) AS k (tbl text, name text, definition text) ON CONFLICT DO NOTHING`,
      [JSON.stringify(keys)],
    )
    for (const { tbl, name } of keys) await client.query(`ALTER TABLE ${tbl} DROP CONSTRAINT ${name}`)
  })
}

async function putKeysBack(client: pg.Client, say: (text: string) => void) {
  const { rows: keys } = await client.query<{ tbl: string; name: string; definition: string }>(
    'SELECT * FROM app.keys_set_aside ORDER BY 1, 2',
  )
  for (const [n, { tbl, name, definition }] of keys.entries()) {
    await inTransaction(client, async () => {
      await client.query(`ALTER TABLE ${tbl} ADD CONSTRAINT ${name} ${definition}`)
      await client.query('DELETE FROM app.keys_set_aside WHERE tbl = $1 AND name = $2', [tbl, name])
    })
    if ((n + 1) % 50 === 0 || n + 1 === keys.length) say(`${n + 1} of ${keys.length} foreign keys`)
  }
  await client.query('DROP TABLE app.keys_set_aside')
}

/** Makes a distributed table a table of the coordinator, with its rows. */
const takeBack = (client: pg.Client, name: string) =>
  inTransaction(client, async () => {
    const { rowCount: forced } = await client.query('SELECT FROM pg_class WHERE oid = $1::regclass AND relforcerowsecurity', [
      name,
    ])
    if (forced) await client.query(`ALTER TABLE ${name} NO FORCE ROW LEVEL SECURITY`)
    await client.query('SELECT undistribute_table($1::regclass)', [name])
    if (forced) await client.query(`ALTER TABLE ${name} FORCE ROW LEVEL SECURITY`)
  })

/** Distributes a table with its rows, and returns their number. The owner must see all rows: invisible ones would be lost. */
async function layOut(client: pg.Client, { name, layout }: Table): Promise<number> {
  return inTransaction(client, async () => {
    const { rows: state } = await client.query<{ forced: boolean; viewed: boolean }>(
      `SELECT relforcerowsecurity AS forced,
         EXISTS (SELECT FROM pg_depend WHERE refobjid = c.oid AND classid = 'pg_rewrite'::regclass) AS viewed FROM pg_class c WHERE oid = $1::regclass`,
      [name],
    )
    const { forced, viewed } = state[0]!
    if (forced) await client.query(`ALTER TABLE ${name} NO FORCE ROW LEVEL SECURITY`)
    const before = await count(client, name)
    const counters = await countersOf(client, name)
    // Copying rows would fire its triggers, which write to tables that aren't distributed yet.
    const triggers = before ? await triggersOf(client, name) : []
    // Citus recreates the table's views and its triggers' functions, as their owner.
    const made = viewed || triggers.length > 0
    if (made) await client.query('GRANT CREATE ON SCHEMA app TO app_platform')
    for (const { trigger } of triggers) await client.query(`DROP TRIGGER ${trigger} ON ${name}`)
    if (layout === 'reference') await client.query('SELECT create_reference_table($1::regclass)', [name])
    else if (layout === 'citus_local') await client.query('SELECT citus_add_local_table_to_metadata($1::regclass)', [name])
    else {
      const { rows } = await client.query<{ other: string }>(
        `SELECT logicalrelid::text AS other FROM pg_dist_partition JOIN table_layouts ON name = logicalrelid::text WHERE layout = 'distributed' LIMIT 1`,
      )
      await client.query("SELECT create_distributed_table($1::regclass, 'tenant_id', colocate_with => $2)", [
        name,
        rows[0]?.other ?? 'none',
      ])
    }
    const after = await count(client, name)
    if (after !== before) throw new Error(`${name} had ${before} rows and would have ${after}.`)
    // A table that stays on the coordinator is recreated there, and its ids would start at 1 again.
    for (const { sequence, last } of counters) await client.query('SELECT setval($1::regclass, $2)', [sequence, last])
    for (const { definition } of triggers) await client.query(definition)
    if (before && layout !== 'citus_local')
      await client.query('SELECT truncate_local_data_after_distributing_table($1::regclass)', [name])
    if (forced) await client.query(`ALTER TABLE ${name} FORCE ROW LEVEL SECURITY`)
    if (made) await client.query('REVOKE CREATE ON SCHEMA app FROM app_platform')
    return before
  })
}

/** Returns the sequences of a table's columns that were used, each with its last value. */
async function countersOf(client: pg.Client, table: string) {
  const { rows } = await client.query<{ sequence: string; last: string | null }>(
    `SELECT sequence, pg_sequence_last_value(sequence::regclass) AS last FROM pg_attribute, pg_get_serial_sequence($1, attname) AS sequence
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND sequence IS NOT NULL`,
    [table],
  )
  return rows.filter(({ last }) => last !== null)
}

async function triggersOf(client: pg.Client, table: string) {
  const { rows } = await client.query<{ trigger: string; definition: string }>(
    `SELECT quote_ident(tgname) AS trigger, pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE tgrelid = $1::regclass AND NOT tgisinternal`,
    [table],
  )
  return rows
}

async function count(client: pg.Client, table: string) {
  const { rows } = await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`)
  return Number(rows[0]!.n)
}

/**
 * If a workspace is set, the operator's role sees only that workspace's rows (docs/decisions/0021). Must run before a table is
 * distributed: Citus keeps its policies, but can't create this one afterwards.
 */
async function guardOperator(client: pg.Client) {
  const { rows } = await client.query<{ name: string; workspace: string }>(
    `SELECT c.relname AS name, CASE c.relname WHEN 'tenants' THEN 'id' ELSE 'tenant_id' END AS workspace
     FROM table_layouts l JOIN pg_class c ON c.oid = to_regclass('public.' || quote_ident(l.name))
     WHERE c.relrowsecurity AND l.layout <> 'local' AND NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = c.oid AND polname = 'operator')`,
  )
  const set = `nullif(current_setting('app.tenant_id', true), '')`
  for (const { name, workspace } of rows) {
    const mine = `(${set} IS NULL OR ${workspace} = ${set}::bigint)`
    await client.query(`CREATE POLICY operator ON ${name} TO app_operator USING ${mine} WITH CHECK ${mine}`)
  }
}

async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
