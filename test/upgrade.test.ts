/** Upgrade of an older version's database with data: afterwards its schema equals a new database's, and its data is preserved. */
// Also in CI: debian
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { findMigrations, migrate } from '#kernel/database/migrate.ts'
import { migrationFolders, sourceRoot } from '#kernel/process/start.ts'
import { VERSION_1 } from '../tools/migrations.ts'
import { startTest } from './harness.ts'
import { testServer } from './server.ts'

const world = await startTest()
const server = await testServer()
const name = `atrium_older_${process.pid}`
const url = server.urlOf(name)

async function statement(at: string, text: string, role = 'NONE') {
  const client = new pg.Client({ connectionString: at })
  await client.connect()
  try {
    await client.query(`SET ROLE ${role}`)
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

before(() => statement(server.adminUrlOf('postgres'), `CREATE DATABASE "${name}" OWNER "${new URL(url).username}"`))
after(() => statement(server.adminUrlOf('postgres'), `DROP DATABASE "${name}" WITH (FORCE)`))

/** Returns everything that migrations create, as text. */
const SCHEMA = `
  SELECT format('%s.%s %s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attgenerated) AS what FROM pg_attribute
    JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indrelid WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT format('%s %s %s %s %s', tablename, policyname, roles, qual, with_check) FROM pg_policies WHERE schemaname = 'public'
  UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT pg_get_functiondef(oid) || pg_get_userbyid(proowner) FROM pg_proc WHERE pronamespace = 'app'::regnamespace
  UNION ALL SELECT format('%s %s', name, layout) FROM table_layouts
  ORDER BY 1`

test('a database of an older version is brought up to date with its rows', async () => {
  const all = findMigrations(migrationFolders([sourceRoot]))
  const older = all.slice(
    0,
    all.findIndex((migration) => migration.name.endsWith('-contact-phones')),
  )
  const version1 = all.filter((migration) => migration.name < VERSION_1)
  assert.ok(older.length > 20 && older.length < version1.length)
  await migrate(url, older)
  const at = `now(), now()`
  await statement(
    url,
    `INSERT INTO tenants (id, company_name, workspace_name, slug, email, created_at, updated_at) VALUES (7, 'Ash', 'Ash', 'ash', 'a@ash.test', ${at});
    INSERT INTO users (tenant_id, id, name, email, password_hash, email_verified_at, created_at, updated_at) VALUES
      (7, 1, 'Ann', 'ann@ash.test', 'hash of Ann', now(), ${at}), (7, 2, 'Ben', 'ben@ash.test', NULL, NULL, ${at}), (7, 3, 'Eve', 'eve@ash.test', 'hash of Eve', now(), ${at});
    INSERT INTO companies (tenant_id, name, created_at, updated_at) SELECT 7, 'Firm ' || n, ${at} FROM generate_series(1, 500) n;
    INSERT INTO contacts (tenant_id, name, phone, company_id, created_at, updated_at)
      SELECT 7, 'Contact ' || id, '+43 1 ' || 1000000 + id, id, ${at} FROM companies`,
    'app_platform',
  )

  const applied = await migrate(url, version1)
  // Data as version 1 would write it: by SQL, because today's code may need later columns.
  await statement(
    url,
    `INSERT INTO companies (tenant_id, name, created_at, updated_at) SELECT 7, 'Later ' || n, ${at} FROM generate_series(1, 100) n;
    INSERT INTO contacts (tenant_id, name, company_id, created_at, updated_at)
      SELECT 7, 'Contact of ' || name, id, ${at} FROM companies WHERE name LIKE 'Later %'`,
    'app_platform',
  )
  applied.push(...(await migrate(url, all)))
  // Writes of the previous version, whose processes still run.
  await statement(
    url,
    `UPDATE users SET email_verified_at = now() WHERE id = 2;
    UPDATE users SET password_hash = 'another one' WHERE id = 1;
    UPDATE users SET deleted_at = now() WHERE id = 3`,
    'app_platform',
  )
  assert.deepEqual(
    [...older.map((migration) => migration.name), ...applied],
    all.map((migration) => migration.name),
  )
  assert.deepEqual(await statement(url, SCHEMA), await statement(world.services.config.DATABASE_URL!, SCHEMA))
  const rows = await statement(
    url,
    `SELECT count(*)::int AS contacts, count(phone_e164)::int AS phones, count(name_lower)::int AS firms
     FROM contacts JOIN companies c ON c.tenant_id = contacts.tenant_id AND c.id = company_id`,
    'app_platform',
  )
  assert.deepEqual(rows, [{ contacts: 600, phones: 500, firms: 600 }])
  assert.deepEqual(
    await statement(
      url,
      'SELECT user_id::int, email, password_hash, is_verified FROM sign_in_directory ORDER BY 1',
      'app_platform',
    ),
    [
      { user_id: 1, email: 'ann@ash.test', password_hash: 'another one', is_verified: true },
      { user_id: 2, email: 'ben@ash.test', password_hash: null, is_verified: true },
    ],
  )
})
