/** Canaries of a workspace's rows: unmistakable texts, and a fingerprint of all rows. */
import type { Workspace, World } from '../harness.ts'

/** Text columns with a meaning to the service, which must not be changed. */
const MEANINGFUL =
  /key|hash|path|slug|^module$|code|token|secret|sealed|status|type|kind|currency|email|host|timezone|locale|url|mime|color|uuid|format|domain|provider|message_id|language|extension|version|event|channel|mode|name_key|permission|setting|search|user_agent|ip$/

const MARK = 'Zyzzyva'

/**
 * Adds a canary to the texts of a workspace. Returns everything that would reveal its data elsewhere: the canary and its uuids.
 */
export async function plantMarks(world: World, { id, slug }: Workspace): Promise<string[]> {
  const columns = await world.sql(
    `SELECT quote_ident(table_name) AS "table", quote_ident(column_name) AS "column", data_type AS type FROM information_schema.columns c
     WHERE table_schema = 'public' AND data_type IN ('text', 'uuid') AND is_generated = 'NEVER' AND EXISTS (
       SELECT FROM information_schema.columns t WHERE t.table_schema = 'public' AND t.table_name = c.table_name AND t.column_name = 'tenant_id')`,
  )
  const marks = [MARK, slug]
  for (const { table, column, type } of columns) {
    if (type === 'uuid') {
      const found = await world.sql(
        `SELECT DISTINCT ${column}::text AS uuid FROM ${table} WHERE tenant_id = $1 AND ${column} IS NOT NULL`,
        [id],
      )
      marks.push(...found.map(({ uuid }) => uuid))
    } else if (!MEANINGFUL.test(column)) {
      // Columns whose CHECK constraint rejects it stay unchanged.
      await world.sql(`UPDATE ${table} SET ${column} = ${column} || ' ${MARK}' WHERE tenant_id = $1`, [id]).catch(() => {})
    }
  }
  return marks
}

/**
 * Returns a fingerprint of a workspace's rows by table. Excludes data that changes by itself: last use of sessions, and the
 * process that watches a mailbox.
 */
export async function fingerprintOf(world: World, tenantId: number): Promise<Map<string, string>> {
  const tables = await world.sql(
    `SELECT quote_ident(c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = 'tenant_id'
     WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'access_tokens' ORDER BY 1`,
  )
  const parts = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, count(*) || ' ' || coalesce(sum(hashtextextended((to_jsonb(t) - '{looked_at,watcher,watched_until}'::text[])::text, 0)), 0) AS row FROM ${name} t WHERE tenant_id = $1`,
  )
  const rows = await world.sql(parts.join(' UNION ALL '), [tenantId])
  return new Map(rows.map(({ name, row }) => [name, row]))
}

/** Returns the tables whose rows have changed, with their state before and after. */
export const changedIn = (before: Map<string, string>, after: Map<string, string>) =>
  [...after].filter(([name, row]) => before.get(name) !== row).map(([name, row]) => `${name}: ${before.get(name)} -> ${row}`)
