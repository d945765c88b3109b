/** Tenant isolation by PostgreSQL itself, for queries that lack a condition. */
// Also in CI: debian
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Tx } from '#kernel/database/connect.ts'
import { startTest, type Workspace } from './harness.ts'

const world = await startTest()
const { database } = world.services
let a: Workspace
let b: Workspace

const inside = <T>(workspace: Workspace, work: (tx: Tx) => Promise<T>) => database.workspace(workspace.id, 'write', work)
const rows = async (tx: Tx, text: string) => (await sql.raw<any>(text).execute(tx)).rows
const refused = (workspace: Workspace, text: string, message: RegExp) =>
  assert.rejects(
    inside(workspace, (tx) => rows(tx, text)),
    (error: { code?: string; message: string }) => error.code === '42501' && message.test(error.message),
    text,
  )

/** Runs statements as app_tenant in a transaction without a workspace, on a connection that had one before. */
async function withoutWorkspace(texts: string[]) {
  await inside(a, (tx) => rows(tx, 'SELECT 1'))
  const client = await database.pool.connect()
  try {
    await client.query('BEGIN; SET LOCAL ROLE app_tenant')
    const results = []
    for (const text of texts) results.push((await client.query(text)).rows)
    return results
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

/** Returns the tenant tables that app_tenant may read. */
const readable = () =>
  world.sql(`SELECT quote_ident(c.relname) AS name, has_table_privilege('app_tenant', c.oid, 'UPDATE') AS writable
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = 'tenant_id'
    WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND has_table_privilege('app_tenant', c.oid, 'SELECT') ORDER BY 1`)

before(async () => {
  a = await world.workspace()
  b = await world.workspace()
  for (const { owner } of [a, b]) {
    await owner.post('/vendors', { name: 'Vendor' }, { headers: { 'idempotency-key': 'k' } })
    await owner.post('/users', { name: 'Ulla', email: `ulla@x.test` })
    await owner.put('/settings', { settings: { company_phone: '1' } })
  }
})

describe('inside a workspace', () => {
  it('queries that name no workspace see its own rows only', async () => {
    const tables = await readable()
    const seeded = []
    for (const { name } of tables) {
      const [{ ours, theirs }] = await world.sql(
        `SELECT count(*) FILTER (WHERE tenant_id = $1)::int AS ours,
        count(*) FILTER (WHERE tenant_id IS DISTINCT FROM $1)::int AS theirs FROM ${name}`,
        [a.id],
      )
      const seen = await inside(a, (tx) => rows(tx, `SELECT tenant_id FROM ${name}`))
      assert.equal(seen.length, ours, name)
      assert.ok(
        seen.every((row) => row.tenant_id === a.id),
        name,
      )
      assert.deepEqual(
        await inside(a, (tx) => rows(tx, `SELECT 1 FROM ${name} WHERE tenant_id IS DISTINCT FROM ${a.id}`)),
        [],
        name,
      )
      if (ours && theirs) seeded.push(name)
    }
    for (const name of [
      'users',
      'roles',
      'user_roles',
      'vendors',
      'activities',
      'workspace_settings',
      'module_subscriptions',
      'access_tokens',
    ])
      assert.ok(seeded.includes(name), `${name} has rows on both sides, or this proves nothing`)
    assert.ok(seeded.length >= 11, seeded.join())
    assert.deepEqual(await inside(a, (tx) => rows(tx, 'SELECT id FROM tenants')), [{ id: a.id }])
  })

  it('nothing can be written for another', async () => {
    const stamps = 'now(), now()'
    for (const text of [
      `INSERT INTO vendors (tenant_id, name, created_at, updated_at) VALUES (${b.id}, 'Smuggled', ${stamps})`,
      `INSERT INTO users (tenant_id, name, email, created_at, updated_at) VALUES (${b.id}, 'Eve', 'eve@x.test', ${stamps})`,
      `INSERT INTO access_tokens (tenant_id, user_id, name, secret_hash, created_at, last_used_at, expires_at) VALUES (${b.id}, ${b.owner.id}, 'x', '', now(), now(), now())`,
      `INSERT INTO access_tokens (tenant_id, user_id, name, secret_hash, created_at, last_used_at, expires_at) VALUES (NULL, 1, 'x', '', now(), now(), now())`,
      `INSERT INTO email_logs (tenant_id, notification_type, "to", subject, body_html, body_text, created_at) VALUES (0, 'x', '{}', 'x', 'x', 'x', now())`,
    ])
      await refused(a, text, /row-level security/)
    for (const { name, writable } of await readable()) {
      if (!writable) continue
      const touched = await inside(a, (tx) =>
        rows(tx, `UPDATE ${name} SET tenant_id = tenant_id WHERE tenant_id = ${b.id} RETURNING 1`),
      )
      assert.deepEqual(touched, [], name)
      const [{ count }] = await inside(a, (tx) => rows(tx, `SELECT count(*)::int FROM ${name}`))
      if (count) await refused(a, `UPDATE ${name} SET tenant_id = ${b.id}`, /row-level security/)
    }
    assert.deepEqual(await inside(a, (tx) => rows(tx, `DELETE FROM vendors WHERE tenant_id = ${b.id} RETURNING 1`)), [])
    assert.equal((await b.owner.get('/vendors')).body.meta.total, 1)
  })

  it('its profile can be changed, nothing else about it, and no other workspace', async () => {
    await inside(a, (tx) => rows(tx, `UPDATE tenants SET timezone = 'Asia/Tokyo'`))
    const zones = await world.sql('SELECT timezone FROM tenants WHERE id = ANY($1) ORDER BY id', [[a.id, b.id]])
    assert.deepEqual(
      zones.map((row) => row.timezone),
      ['Asia/Tokyo', 'UTC'],
    )
    for (const change of [`status = 'active'`, `slug = 'stolen'`, 'storage_allowance_bytes = 1', 'archived_at = NULL'])
      await refused(a, `UPDATE tenants SET ${change}`, /permission denied/)
    await refused(a, 'DELETE FROM tenants', /permission denied/)
    await refused(a, `UPDATE module_subscriptions SET status = 'active'`, /permission denied/)
    await refused(a, `UPDATE audit_logs SET event = 'x'`, /permission denied/)
    await refused(a, 'DELETE FROM audit_logs', /permission denied/)
  })

  it('a record of another cannot be referred to', async () => {
    const [role] = await world.sql(`SELECT id FROM roles WHERE tenant_id = $1 AND name = 'superadmin'`, [b.id])
    const text = `INSERT INTO user_roles (tenant_id, user_id, role_id) VALUES (${a.id}, ${a.owner.id}, ${role.id})`
    await assert.rejects(
      inside(a, (tx) => rows(tx, text)),
      { code: '23503' },
    )
  })

  it('search finds its own rows only', async () => {
    const [{ id }] = await world.sql('SELECT id::int FROM vendors WHERE tenant_id = $1', [a.id])
    for (const term of ['vendor', 've'])
      assert.deepEqual(await inside(a, (tx) => rows(tx, `SELECT app.search_vendors('${term}') AS id`)), [{ id }])
  })
})

describe('without a workspace', () => {
  it('app_tenant sees nothing and writes nothing', async () => {
    const tables = ['tenants', ...(await readable()).map(({ name }) => name)]
    const seen = await withoutWorkspace(tables.map((name) => `SELECT 1 FROM ${name} LIMIT 1`))
    assert.deepEqual(
      seen,
      tables.map(() => []),
    )
    assert.deepEqual(
      await withoutWorkspace([`SELECT app.search_users('olive')`, `UPDATE tenants SET timezone = 'UTC' RETURNING 1`]),
      [[], []],
    )
    for (const id of ['NULL', '0', String(a.id)])
      await assert.rejects(
        withoutWorkspace([
          `INSERT INTO idempotency_keys (tenant_id, key_hash, body_hash, status, reply, created_at) VALUES (${id}, '', '', 200, '', now())`,
        ]),
        { code: '42501' },
      )
  })

  it('the login role, which owns the tables, sees no row of a workspace either', async (t) => {
    const [{ version }] = await world.sql(`SELECT current_setting('server_version_num')::int AS version`)
    if (version < 160000) return t.skip('before 16 a membership comes with its rights')
    for (const { name } of await readable())
      assert.deepEqual(await database.statement(`SELECT 1 FROM ${name} LIMIT 1`, []), [], name)
  })

  it('a workspace must be a whole number above 0', async () => {
    for (const id of [0, -1, 1.5, Number.NaN, "1'; RESET ROLE; --" as unknown as number])
      await assert.rejects(async () => database.workspace(id, 'read', async () => 1), /Not a workspace id/, String(id))
  })
})

/** Deviations of directories from tenant tables, with reasons. */
const allowed = [
  // Looked up and swept before the workspace is known; a platform user's token has none.
  'access_tokens: primary key access_tokens_pkey begins with id',
  'access_tokens: index access_tokens_expiry begins with expires_at',
  // The same for API keys.
  'api_keys: primary key api_keys_pkey begins with id',
  // A customer's link is looked up by its hash alone.
  'acceptance_links: index acceptance_links_token begins with token_hash',
  // A payment provider's event arrives before its workspace is known.
  'payment_methods: index payment_methods_uuid begins with uuid',
  // A pay link is looked up by its hash alone.
  'pay_links: index pay_links_token begins with token_hash',
  // Looked up by host before the workspace is known.
  'branded_hosts: primary key branded_hosts_pkey begins with host',
  // Leads arrive at an endpoint, or from an ad platform's page, before the workspace is known.
  'lead_webhook_endpoints: index lead_webhook_endpoints_uuid begins with uuid',
  'lead_ad_pages: index lead_ad_pages_page begins with page_id',
  // A mailed link is looked up by its hash alone.
  'one_time_tokens: primary key one_time_tokens_pkey begins with secret_hash',
  // A passkey is looked up to find its user; passkeys and second factors of platform users have no workspace.
  'passkeys: primary key passkeys_pkey begins with id',
  'passkeys: unique index passkeys_credential begins with rp_id',
  'two_factors: primary key two_factors_pkey begins with id',
  // Workspaces by email address: read by the platform's role only, so it has neither policy nor grant.
  'sign_in_directory: no forced row security',
  'sign_in_directory: no policy workspace',
  'sign_in_directory: index sign_in_directory_email begins with email',
  // Workspaces whose owner hasn't verified the address: counted by address and network over all workspaces, which have no access.
  'unproven_workspaces: no forced row security',
  'unproven_workspaces: no policy workspace',
  'unproven_workspaces: index unproven_workspaces_created begins with created_at',
  'unproven_workspaces: index unproven_workspaces_email begins with email',
  'unproven_workspaces: index unproven_workspaces_network begins with network',
  // Debts of workspaces, accessible to the platform only, so without policy and grant; its jobs search all of them.
  'billing_accounts: no forced row security',
  'billing_accounts: no policy workspace',
  'ledger_credits: no forced row security',
  'ledger_credits: no policy workspace',
  'ledger_invoices: no forced row security',
  'ledger_invoices: no policy workspace',
  'ledger_lines: no forced row security',
  'ledger_lines: no policy workspace',
  'ledger_payments: no forced row security',
  'ledger_payments: no policy workspace',
  'payment_customers: no forced row security',
  'payment_customers: no policy workspace',
  'subscription_events: no forced row security',
  'subscription_events: no policy workspace',
  'ledger_invoices: index ledger_invoices_due begins with next_attempt_at',
  'ledger_invoices: index ledger_invoices_failing begins with failing_since',
  'ledger_invoices: index ledger_invoices_id begins with id',
  'ledger_invoices: index ledger_invoices_newest begins with created_at',
  'ledger_invoices: index ledger_invoices_unmailed begins with issued_at',
  'ledger_payments: index ledger_payments_id begins with id',
  'ledger_payments: index ledger_payments_newest begins with created_at',
  'module_subscriptions: index module_subscriptions_due begins with period_end',
  'module_subscriptions: index module_subscriptions_id begins with id',
  'module_subscriptions: index module_subscriptions_newest begins with created_at',
  'module_subscriptions: index module_subscriptions_seeded begins with module_key',
  // A short link is looked up by its code or uuid before the workspace is known.
  'short_link_codes: primary key short_link_codes_pkey begins with code',
  'short_links: index short_links_uuid begins with uuid',
  // The workspace itself: its id is the tenant's, and the database's owner reads it. Two policies: reading, and changing the
  // profile.
  'tenants: no forced row security',
  'tenants: no policy workspace',
  'tenants: policy workspace lets app_tenant past',
  'tenants: policy workspace_profile lets app_tenant past',
  'tenants: primary key tenants_pkey begins with id',
  'tenants: index tenants_created begins with created_at',
  'tenants: index tenants_erasing begins with id',
  'tenants: unique index tenants_slug_key begins with slug',
  'tenants: unique index tenants_uuid_key begins with uuid',
  // The platform reads the mail of all workspaces, newest first, and one by its uuid.
  'email_logs: index email_logs_created begins with created_at',
  'email_logs: index email_logs_message begins with provider_message_id',
  'email_logs: index email_logs_uuid begins with uuid',
  // Actions of platform users in any workspace; their impersonations, and one of them by id.
  'audit_logs: index audit_logs_operator begins with actor_id',
  'platform_impersonations: index platform_impersonations_id begins with id',
  'platform_impersonations: index platform_impersonations_running begins with admin_id',
  // The same for mailboxes and domains that are due.
  'email_accounts: index email_accounts_due begins with next_sync_at',
  'email_accounts: index email_accounts_wanted begins with sync_wanted_at',
  'branded_domains: index branded_domains_due begins with next_check_at',
  // Old deliveries of all workspaces are swept.
  'webhook_deliveries: index webhook_deliveries_age begins with created_at',
  // Workers search the lost runs of all workspaces, and daily jobs the time zones and configured times.
  'job_runs: index job_runs_leased begins with leased_until',
  'tenants: index tenants_timezone begins with timezone',
  'workspace_settings: index workspace_settings_times begins with key',
]

/**
 * Returns the deviations from a tenant table of each table that app_tenant may access or that has a tenant_id. Inaccessible
 * partitions are reached only through their table, under its policies.
 */
async function shortcomings() {
  const found = await world.sql(
    `
    WITH tables AS (
      SELECT c.oid, c.relname AS name, c.relkind, c.relrowsecurity AND c.relforcerowsecurity AS forced
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' AND (
        has_table_privilege('app_tenant', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
        OR has_any_column_privilege('app_tenant', c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
        OR NOT c.relispartition AND EXISTS (SELECT FROM pg_attribute t WHERE t.attrelid = c.oid AND t.attname = 'tenant_id' AND NOT t.attisdropped))
    ), policies AS (
      SELECT *, format('%I.%I', schemaname, tablename)::regclass AS oid,
        coalesce(regexp_replace(qual, $1, '', 'g') ~ $2, false) AS own,
        coalesce(regexp_replace(coalesce(with_check, qual), $1, '', 'g') ~ $2, false) AS writes_own
      FROM pg_policies WHERE permissive = 'PERMISSIVE'
    )
    SELECT name || ': no table, so policies do not hold' AS what FROM tables WHERE relkind NOT IN ('r', 'p')
    UNION ALL SELECT name || ': no forced row security' FROM tables WHERE NOT forced
    UNION ALL SELECT name || ': no policy workspace' FROM tables WHERE NOT EXISTS (
      SELECT FROM policies p WHERE p.oid = tables.oid AND p.policyname = 'workspace' AND p.roles = '{app_tenant}' AND p.cmd = 'ALL')
    UNION ALL SELECT name || ': policy ' || p.policyname || ' lets app_tenant past' FROM tables
      JOIN policies p ON p.oid = tables.oid WHERE p.roles && '{app_tenant,public}' AND NOT (p.own AND p.writes_own)
    UNION ALL SELECT name || ': ' || CASE WHEN i.indisprimary THEN 'primary key' WHEN i.indisunique THEN 'unique index' ELSE 'index' END
        || ' ' || x.relname || ' begins with ' || coalesce(t.attname, 'an expression') FROM tables
      JOIN pg_index i ON i.indrelid = tables.oid JOIN pg_class x ON x.oid = i.indexrelid
      LEFT JOIN pg_attribute t ON t.attrelid = tables.oid AND t.attnum = i.indkey[0] AND i.indkey[0] > 0
      WHERE t.attname IS DISTINCT FROM 'tenant_id'
    UNION ALL SELECT name || ': no primary key' FROM tables WHERE relkind IN ('r', 'p') AND NOT EXISTS (
      SELECT FROM pg_index i WHERE i.indrelid = tables.oid AND i.indisprimary)
    UNION ALL SELECT tables.name || ': ' || k.conname || ' refers to ' || target.name || ' without tenant_id' FROM tables
      JOIN pg_constraint k ON k.conrelid = tables.oid AND k.contype = 'f' JOIN tables target ON target.oid = k.confrelid
      JOIN pg_attribute t ON t.attrelid = tables.oid AND t.attnum = k.conkey[1]
      JOIN pg_attribute u ON u.attrelid = target.oid AND u.attnum = k.confkey[1]
      WHERE t.attname <> 'tenant_id' OR u.attname <> CASE WHEN target.name = 'tenants' THEN 'id' ELSE 'tenant_id' END`,
    // Removes brackets, casts and blanks from a policy's condition, and the pattern that must remain.
    [String.raw`[\s()"]|::[a-z]+`, String.raw`^tenant_id=(SELECT)?NULLIFcurrent_setting'app\.tenant_id',true,''(ASnullif)?$`],
  )
  return found.map(({ what }) => what as string).sort()
}

describe('every table of workspaces', () => {
  it('is under a forced policy of its own, and is keyed, indexed and referred to by tenant_id first', async () => {
    assert.deepEqual(await shortcomings(), [...allowed].sort())
  })

  it('would be caught if it were not', async () => {
    await world.sql(`
      CREATE TABLE careless (id bigint PRIMARY KEY, tenant_id bigint REFERENCES tenants (id), name text UNIQUE,
        vendor_id bigint, vendor_tenant bigint, FOREIGN KEY (vendor_id, vendor_tenant) REFERENCES vendors (tenant_id, id));
      CREATE INDEX careless_lower ON careless (lower(name), tenant_id);
      CREATE TABLE lax (tenant_id bigint, id bigint, PRIMARY KEY (tenant_id, id));
      SELECT app.workspace_table('lax');
      CREATE POLICY generous ON lax FOR SELECT USING (true);
      CREATE POLICY trusting ON lax FOR INSERT TO app_tenant WITH CHECK (true);
      CREATE POLICY halfway ON lax TO app_tenant USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::bigint) WITH CHECK (true);
      CREATE VIEW peephole AS SELECT name FROM vendors;
      GRANT SELECT ON peephole TO app_tenant`)
    assert.deepEqual(
      (await shortcomings()).filter((what) => !allowed.includes(what)),
      [
        'careless: careless_vendor_id_vendor_tenant_fkey refers to vendors without tenant_id',
        'careless: index careless_lower begins with an expression',
        'careless: no forced row security',
        'careless: no policy workspace',
        'careless: primary key careless_pkey begins with id',
        'careless: unique index careless_name_key begins with name',
        'lax: policy generous lets app_tenant past',
        'lax: policy halfway lets app_tenant past',
        'lax: policy trusting lets app_tenant past',
        'peephole: no forced row security',
        'peephole: no policy workspace',
        'peephole: no table, so policies do not hold',
      ],
    )
    await world.sql('DROP VIEW peephole; DROP TABLE careless, lax')
  })
})

describe('what belongs to the platform', () => {
  it('is closed to app_tenant', async () => {
    const closed = [
      'modules',
      'platform_roles',
      'platform_settings',
      'platform_user_roles',
      'platform_users',
      'rate_limits',
      'sign_in_directory',
      'unproven_workspaces',
    ]
    for (const table of [...closed, 'pgboss.job', 'pgboss.queue']) {
      await refused(a, `SELECT * FROM ${table} LIMIT 1`, /permission denied/)
      await refused(a, `DELETE FROM ${table}`, /permission denied/)
    }
    const [{ usage, create }] = await world.sql(`SELECT has_schema_privilege('app_tenant', 'pgboss', 'USAGE') AS usage,
      has_schema_privilege('app_tenant', 'public', 'CREATE') OR has_schema_privilege('app_tenant', 'app', 'CREATE') AS create`)
    assert.deepEqual([usage, create], [false, false])
    const others =
      await world.sql(`SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public'
      AND c.relkind = 'r' AND NOT has_any_column_privilege('app_tenant', c.oid, 'SELECT, INSERT, UPDATE') ORDER BY 1`)
    for (const table of closed)
      assert.ok(
        others.some(({ relname }) => relname === table),
        table,
      )
  })

  it('cannot be reached by a way round: neither role owns, inherits or bypasses anything', async () => {
    const roles =
      await world.sql(`SELECT rolname, rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb AS mighty FROM pg_roles
      WHERE rolname IN ('app_tenant', 'app_platform') OR rolname = (SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()) ORDER BY 1`)
    assert.ok(roles.filter(({ rolname }) => rolname.startsWith('app_')).every(({ mighty }) => !mighty))
    const [{ member }] = await world.sql(`SELECT pg_has_role('app_tenant', 'app_platform', 'MEMBER') AS member`)
    assert.equal(member, false)
    const owned = await world.sql(
      `SELECT relname FROM pg_class WHERE relkind = 'r' AND pg_get_userbyid(relowner) IN ('app_tenant', 'app_platform')`,
    )
    assert.deepEqual(owned, [])
  })

  /** Returns functions that bypass the policies, except those of search. */
  const seeing = async () =>
    (
      await world.sql(`SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE p.prosecdef AND n.nspname NOT LIKE 'pg\\_%' AND p.prorettype <> 'trigger'::regtype
      AND has_function_privilege('app_tenant', p.oid, 'EXECUTE') AND p.proname NOT LIKE 'search\\_%' ORDER BY 1`)
    ).map(({ proname }) => proname)

  it('is told of by one function only, which names the settings that it tells', async () => {
    await world.sql(
      `INSERT INTO platform_settings (key, value, updated_at) VALUES ('app_name', '"Named"', now()), ('mail_secret', '"s"', now())`,
    )
    const tell = (key: string) => inside(a, (tx) => rows(tx, `SELECT app.platform_setting('${key}') AS value`))
    assert.deepEqual([await tell('app_name'), await tell('mail_secret')], [[{ value: 'Named' }], [{ value: null }]])
    assert.ok((await seeing()).includes('platform_setting'))
  })

  it('is not told by any other function', async () => {
    assert.deepEqual(await seeing(), ['platform_setting'])
  })
})
