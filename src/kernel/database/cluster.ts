/** Detects whether a database is a cluster, and checks a cluster's settings. */
import type pg from 'pg'
import { withClient } from './client.ts'

/**
 * Whether `npm run distribute` has distributed the database over nodes. Read from the database, so that it needs no
 * configuration.
 */
export const isCluster = (url: string): Promise<boolean> =>
  withClient(
    url,
    async (client) =>
      (await hasCitus(client)) &&
      Boolean((await client.query("SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('public.tenants')")).rowCount),
  )

const hasCitus = async (client: pg.Client) =>
  Boolean((await client.query("SELECT FROM pg_extension WHERE extname = 'citus'")).rowCount)

interface Machine {
  lc_messages: string
  wal_level: string
  prepared: string
  triggers: string | null
}

const SETTINGS = `SELECT json_build_object('lc_messages', current_setting('lc_messages'), 'wal_level', current_setting('wal_level'),
  'prepared', current_setting('max_prepared_transactions'), 'triggers', current_setting('citus.enable_unsafe_triggers', true))`

/** Returns the problems that prevent distribution of a database, each with a remedy; empty if there are none. */
export async function clusterProblems(client: pg.Client): Promise<string[]> {
  if (!(await hasCitus(client)))
    return ['The extension citus is missing: as a superuser, CREATE EXTENSION citus in this database on every machine.']
  const problems: string[] = []
  const { rowCount: begun } = await client.query(
    `SELECT FROM pg_proc p WHERE pronamespace = to_regnamespace('app') AND NOT EXISTS (SELECT FROM pg_dist_object WHERE classid = 'pg_proc'::regclass AND objid = p.oid)`,
  )
  if (begun)
    problems.push(
      'The database was begun without Citus, and its functions are on this machine alone: make a new one with the extension, and copy the rows (docs/operations.md, a cluster).',
    )
  const { rows: known } = await client.query<{ coordinator: boolean; workers: number; creates: boolean; roles: number }>(
    `SELECT EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) AS coordinator,
       (SELECT count(*)::int FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary') AS workers,
       (SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user) AS creates,
       (SELECT count(*)::int FROM pg_roles WHERE rolname IN ('app_tenant', 'app_platform', 'app_operator') AND rolcanlogin) AS roles`,
  )
  const { coordinator, workers, creates, roles } = known[0]!
  if (!coordinator)
    problems.push(
      "This machine doesn't know its own address: as a superuser, SELECT citus_set_coordinator_host('its name', 5432).",
    )
  if (!workers) problems.push("No machine takes rows: as a superuser, SELECT citus_add_node('its name', 5432) for each.")
  if (!creates && roles < 3)
    problems.push(
      'The roles app_tenant, app_platform and app_operator must be able to log in, and this role may not change that: ALTER ROLE … CREATEROLE.',
    )
  const { rows: machines } = await client.query<{ name: string; success: boolean; result: string }>(
    `SELECT nodename || ':' || nodeport AS name, success, result FROM run_command_on_all_nodes($1) JOIN pg_dist_node USING (nodeid)`,
    [SETTINGS],
  )
  for (const { name, success, result } of machines) {
    if (!success) {
      problems.push(`${name} can't be asked: ${result}`)
      continue
    }
    const { lc_messages, wal_level, prepared, triggers } = JSON.parse(result) as Machine
    const lacks = (setting: string) => problems.push(`${name} needs ${setting} in its postgresql.conf.`)
    if (!/^(C|POSIX|en)/.test(lc_messages)) lacks("lc_messages = 'C'")
    if (wal_level !== 'logical') lacks('wal_level = logical')
    if (prepared === '0') lacks('max_prepared_transactions of at least max_connections')
    if (triggers !== 'on') lacks('citus.enable_unsafe_triggers = on')
  }
  return problems
}
