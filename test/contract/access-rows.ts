/**
 * Rows that determine access or destinations of money, in a workspace and on the platform. Found by column names in the
 * catalogue.
 */
import type { World } from '../harness.ts'

/** Names of columns with credentials, permissions or bank accounts. */
const MEANS_ACCESS =
  'password|secret|token|credential|public_key|sealed|permissions|scopes|is_owner|role_id|verified|suspended_at|iban|bic$|domain$|host$|signing'

/** Tables with such a column for another purpose. */
const OTHERS: Record<string, string> = {
  acceptance_links: 'links for customers, who accept documents by them',
  pay_links: 'links for customers, who pay invoices by them',
  bank_csv_mappings: 'names of columns, and the account whose files are read',
  bank_transactions: 'accounts of those who paid',
  email_logs: 'mails that wait to be sent',
}

/** Columns that change in everyday use. */
const EVERYDAY: Record<string, readonly string[]> = {
  access_tokens: ['last_used_at'],
  api_keys: ['last_used_at', 'last_used_ip', 'known_networks'],
  users: [
    'name',
    'avatar_path',
    'revision',
    'updated_at',
    'external_id',
    'exclude_from_lead_auto_assign',
    'receive_website_leads',
    'receive_all_users_daily_summary',
    'lead_commission_rate',
    'search_text',
  ],
  webhook_endpoints: ['failing_since', 'position'],
  email_accounts: [
    'last_error',
    'last_synced_at',
    'looked_at',
    'next_sync_at',
    'revision',
    'send_leased_until',
    'send_slow',
    'sync_failures',
    'sync_leased_until',
    'sync_slow',
    'sync_turn',
    'sync_wanted_at',
    'updated_at',
    'watched_until',
    'watcher',
  ],
}

/** Returns the watched tables with the columns to compare. */
export async function accessTables(world: World): Promise<Map<string, string[]>> {
  const rows: { table: string; columns: string[] }[] = await world.sql(
    `SELECT k.relname AS "table", array_agg(c.column_name::text ORDER BY c.ordinal_position) AS columns
     FROM pg_class k JOIN pg_namespace n ON n.oid = k.relnamespace
     JOIN information_schema.columns c ON c.table_schema = n.nspname AND c.table_name = k.relname
     WHERE n.nspname = 'public' AND k.relkind IN ('r', 'p') AND NOT k.relispartition
     GROUP BY 1 HAVING bool_or(c.column_name ~ $1) ORDER BY 1`,
    [MEANS_ACCESS],
  )
  return new Map(
    rows
      .filter(({ table }) => !(table in OTHERS))
      .map(({ table, columns }) => [table, columns.filter((column) => !EVERYDAY[table]?.includes(column))]),
  )
}

/** Returns every watched row as text, by table; of the settings only those that grant access. */
export async function accessRows(world: World, tables: Map<string, string[]>): Promise<string[]> {
  const granting = [...world.services.modules.settings].filter(([, { grants }]) => grants).map(([key]) => key)
  const parts = [...tables].map(
    ([table, columns]) =>
      `SELECT '${table} ' || jsonb_build_array(${columns.map((column) => `"${column}"`).join(', ')})::text AS row FROM "${table}"`,
  )
  const settings = `SELECT 'workspace_settings ' || jsonb_build_array(tenant_id, key, value)::text FROM workspace_settings WHERE key = ANY ($1)`
  const rows = await world.sql(`${[...parts, settings].join(' UNION ALL ')} ORDER BY 1`, [granting])
  return rows.map(({ row }) => row)
}

/** Returns removed and added rows between two snapshots. */
export const differing = (before: string[], after: string[]) => [
  ...before.filter((row) => !after.includes(row)).map((row) => `- ${row}`),
  ...after.filter((row) => !before.includes(row)).map((row) => `+ ${row}`),
]
