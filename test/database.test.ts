/** The schema as a whole: migrations, privileges of its functions, and its layout on a cluster. */
// Also in CI: debian
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { savepoint } from '#kernel/context.ts'
import { allPipelined, type Tx } from '#kernel/database/connect.ts'
import { isUnreachable } from '#kernel/database/failures.ts'
import { type Migration, migrate, OUTSIDE } from '#kernel/database/migrate.ts'
import { violationOf } from '#kernel/database/violations.ts'
import { sourceRoot } from '#kernel/process/start.ts'
import { startTest } from './harness.ts'
import { testServer } from './server.ts'

const world = await startTest()
const run = async (tx: Tx, text: string) => (await sql.raw<any>(text).execute(tx)).rows

describe('migrations', () => {
  const name = `atrium_migrations_${process.pid}`
  let url: string
  let client: pg.Client
  const migration = (n: number, sql: string): Migration => ({
    name: `2027010100000${n}-m${n}`,
    file: `/src/2027010100000${n}-m${n}.sql`,
    sql,
    checksum: sql,
  })
  const one = migration(1, 'CREATE TABLE one (n integer)')
  const two = migration(2, 'CREATE TABLE two (n integer); SELECT pg_sleep(0.05)')
  const wrong = migration(3, 'CREATE TABLE three (n integer); SELECT 1 / 0')

  before(async () => {
    const server = await testServer()
    await server.createDatabase(name)
    url = server.urlOf(name)
    client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('DELETE FROM schema_migrations')
  })
  after(async () => {
    await client.end()
    await (await testServer()).dropDatabase(name)
  })
  const applied = async () => (await client.query('SELECT name FROM schema_migrations ORDER BY 1')).rows.map((row) => row.name)

  it('are applied once, by whichever process comes first, when several start at once', async () => {
    const done = await Promise.all(Array.from({ length: 4 }, () => migrate(url, [one, two])))
    assert.deepEqual(done.flat().sort(), [one.name, two.name])
    assert.deepEqual(await applied(), [one.name, two.name])
  })

  it('leave nothing of one that fails, and keep those before it', async () => {
    const four = migration(4, 'CREATE TABLE four (n integer)')
    await assert.rejects(migrate(url, [one, two, wrong, four]), /m3 failed: division by zero/)
    assert.deepEqual(await applied(), [one.name, two.name])
    const { rows } = await client.query(`SELECT to_regclass('three') AS three, to_regclass('four') AS four`)
    assert.deepEqual(rows, [{ three: null, four: null }])
  })

  it('build an index beside a service that works, also behind a try that was interrupted, whoever waits for them', async () => {
    const index = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS one_n ON one (n)'
    const outside = migration(6, `${OUTSIDE}\n${index}`)
    await client.query('INSERT INTO one VALUES (1), (1)')
    // Remains of a failed index creation.
    await assert.rejects(client.query(index.replace('INDEX', 'UNIQUE INDEX')), /could not create unique/)
    const valid = async () =>
      (await client.query(`SELECT indisvalid, indisunique FROM pg_index WHERE indexrelid = 'one_n'::regclass`)).rows
    assert.deepEqual(await valid(), [{ indisvalid: false, indisunique: true }])
    const done = await Promise.all(Array.from({ length: 4 }, () => migrate(url, [one, two, outside])))
    assert.deepEqual(done.flat(), [outside.name])
    assert.deepEqual(await valid(), [{ indisvalid: true, indisunique: false }])
    // Killed after the statement, before it was recorded.
    await client.query('DELETE FROM schema_migrations WHERE name = $1', [outside.name])
    assert.deepEqual(await migrate(url, [one, two, outside]), [outside.name])
    await client.query('DELETE FROM schema_migrations WHERE name = $1', [outside.name])
  })

  it('give a lock up that they don’t get at once, so that nobody waits behind them, and try again', async () => {
    const alter = migration(7, 'ALTER TABLE one ADD COLUMN IF NOT EXISTS later integer')
    await client.query('BEGIN; SELECT FROM one')
    const migrating = migrate(url, [one, two, alter])
    await sleep(3000)
    const reader = new pg.Client({ connectionString: url })
    await reader.connect()
    await reader.query('SET statement_timeout = 9000; SELECT n FROM one') // must not wait forever for a lock
    await client.query('COMMIT')
    assert.deepEqual(await migrating, [alter.name])
    await reader.end()
    await client.query('DELETE FROM schema_migrations WHERE name = $1', [alter.name])
  })

  it('fail, and don’t end the process, where their connection is lost', async () => {
    const others = 'FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
    await client.query(`SELECT pg_advisory_lock(hashtextextended('atrium migrations', 0))`)
    const failing = assert.rejects(migrate(url, [one, two]), /terminat|not queryable/)
    while (!(await client.query(`SELECT ${others}`)).rowCount) await sleep(10)
    await sleep(150) // it waits for the lock
    await client.query(`SELECT pg_terminate_backend(pid) ${others}`)
    await failing
    await client.query('SELECT pg_advisory_unlock_all()')
    assert.deepEqual(await applied(), [one.name, two.name])
  })

  it('refuse one that was changed, before they apply anything', async () => {
    const five = migration(5, 'CREATE TABLE five (n integer)')
    await assert.rejects(migrate(url, [one, { ...two, checksum: 'x' }, five]), /m2 was changed after/)
    assert.deepEqual(await applied(), [one.name, two.name])
  })

  it('refuse one that is dated before an applied one, with its file and how to mend it', async () => {
    const early = migration(0, 'CREATE TABLE early (n integer)')
    await assert.rejects(
      migrate(url, [early, one, two]),
      /src\/20270101000000-m0\.sql is dated before 20270101000002-m2, which .* npm run migration -- <module> <what>/,
    )
    assert.deepEqual(await applied(), [one.name, two.name])
  })
})

describe('a connection', () => {
  it('that is lost within a transaction fails that, and not the process', async () => {
    const { database } = world.services
    const pidOf = async (tx: Tx) => (await run(tx, 'SELECT pg_backend_pid() AS pid'))[0].pid
    const lost: number[] = []
    const failing = database.platform('write', async (tx) => {
      lost.push(await pidOf(tx))
      await Promise.all([run(tx, 'SELECT pg_sleep(10)'), world.sql('SELECT pg_terminate_backend($1)', lost)])
    })
    await assert.rejects(failing, (error) => isUnreachable(error))
    await sleep(100) // its end follows the error
    assert.notEqual(await database.platform('read', pidOf), lost[0])
  })
})

describe('a savepoint', () => {
  it('in which reading the settings failed leaves them to be read behind it', async () => {
    const firm = await world.workspace({ modules: [] })
    const prefix = await firm.inside(async (ctx) => {
      const failing = savepoint(ctx, ({ tx, setting }) =>
        allPipelined(run(tx, 'SELECT 1 / 0'), setting('invoices_number_prefix')),
      )
      await assert.rejects(failing, /division by zero/)
      return ctx.setting('invoices_number_prefix')
    })
    assert.equal(prefix, await firm.inside((ctx) => ctx.setting('invoices_number_prefix')))
  })
})

describe('the roles of requests', () => {
  it('run no function of the kernel but those made for them', async () => {
    const found = await world.sql(`
      SELECT p.proname AS name, string_agg(r.rolname, ' ' ORDER BY r.rolname) AS roles,
        has_function_privilege('public', p.oid, 'EXECUTE') AS everybody
      FROM pg_proc p LEFT JOIN pg_roles r ON r.rolname IN ('app_tenant', 'app_platform') AND has_function_privilege(r.oid, p.oid, 'EXECUTE')
      WHERE p.pronamespace = 'app'::regnamespace GROUP BY p.oid ORDER BY 1`)
    assert.deepEqual(
      found.filter(({ everybody }) => everybody),
      [],
    )
    const open = found
      .filter(({ name, roles }) => roles && !name.startsWith('search_'))
      .map(({ name, roles }) => `${name}: ${roles}`)
    assert.deepEqual(open, [
      // Functions for the platform only are SECURITY DEFINER and owned by its role.
      'bump_access_revision: app_platform',
      'bump_workspace_revision: app_platform',
      'containing: app_platform app_tenant',
      'current_tenant: app_platform app_tenant',
      'e164: app_platform app_tenant',
      'email_words: app_platform app_tenant',
      'end_unproven: app_platform',
      'iso: app_platform app_tenant',
      'keep_sign_in: app_platform',
      'key_facts: app_platform',
      'phone_key: app_platform app_tenant',
      'platform_session: app_platform',
      'platform_setting: app_platform app_tenant',
      'short_link_workspace: app_platform',
      'short_links_at: app_platform',
      'short_links_followed: app_platform',
      'sum_tallies: app_platform app_tenant',
      'workspace_session: app_platform',
    ])
    const search = found.filter(({ name }) => name.startsWith('search_'))
    assert.ok(search.length >= 6 && search.every(({ roles }) => roles === 'app_platform app_tenant'))
  })

  it('make no table, not even a temporary one, no schema and no function', async () => {
    const { database } = world.services
    for (const role of ['app_tenant', 'app_platform'])
      for (const text of [
        'CREATE TEMP TABLE t (n integer)',
        'CREATE TABLE public.t (n integer)',
        'CREATE TABLE app.t (n integer)',
        'CREATE SCHEMA s',
        'CREATE FUNCTION app.f() RETURNS integer LANGUAGE sql AS $$ SELECT 1 $$',
      ]) {
        const client = await database.pool.connect()
        await client.query(`BEGIN; SET LOCAL ROLE ${role}`)
        const answer = await client.query(text).catch((error) => error)
        await client.query('ROLLBACK')
        client.release()
        assert.equal(answer.code, '42501', `${role}: ${text}`)
      }
  })
})

describe('tallies', () => {
  const counted = () =>
    world.sql(`SELECT status, assigned_to::int AS by, trashed, sum(n)::int AS n FROM record_tallies WHERE kind = 'things'
      GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 2, 3`)
  const expected = [
    { status: 'done', by: 0, trashed: false, n: 5 },
    { status: 'done', by: 1, trashed: false, n: 5 },
    { status: 'new', by: 0, trashed: false, n: 24 },
    { status: 'new', by: 0, trashed: true, n: 1 },
    { status: 'new', by: 1, trashed: false, n: 24 },
  ]

  for (const kept of ['by_statement', 'by_row'])
    it(`${kept} follow each change, and are summed by whoever comes`, async () => {
      await world.sql(`
        CREATE TABLE things (tenant_id bigint, id bigint, status text, assigned_to bigint, deleted_at timestamptz, PRIMARY KEY (tenant_id, id));
        SELECT app.workspace_table('things');
        SELECT app.tallied_${kept}('things', 'status', 'assigned_to', 'deleted_at IS NOT NULL')`)
      const firm = await world.workspace({ modules: [] })
      await firm.inside(async ({ tx, tenant: { id } }) => {
        await run(tx, `INSERT INTO things SELECT ${id}, n, 'new', n % 2 FROM generate_series(1, 60) n`)
        await run(tx, `UPDATE things SET status = 'done' WHERE tenant_id = ${id} AND id <= 10`)
        await run(tx, `UPDATE things SET id = id + 100 WHERE tenant_id = ${id}`)
        await run(tx, `UPDATE things SET deleted_at = now() WHERE tenant_id = ${id} AND id = 160`)
        await run(tx, `DELETE FROM things WHERE tenant_id = ${id} AND id = 159`)
      })
      assert.deepEqual(await counted(), expected)
      await firm.inside(({ tx }) => run(tx, `SELECT app.sum_tallies('things')`))
      assert.deepEqual(await counted(), expected)
      const [{ rows }] = await world.sql(`SELECT count(*)::int AS rows FROM record_tallies WHERE kind = 'things'`)
      assert.equal(rows, expected.length)
      await world.sql(`DROP TABLE things; DROP FUNCTION app.tally_things; DELETE FROM record_tallies WHERE kind = 'things';
        DELETE FROM table_layouts WHERE name = 'things'`)
    })
})

describe('search through references', () => {
  const tables = ['first', 'second', 'third', 'fourth']
  const make = (name: string, through: string) => `
    CREATE TABLE ${name} (tenant_id bigint, id bigint, name text, ref bigint, PRIMARY KEY (tenant_id, id));
    CREATE INDEX ON ${name} (tenant_id, ref);
    SELECT app.workspace_table('${name}');
    SELECT app.searchable('${name}', ARRAY['name'], through => '${through}')`

  it('goes two levels deep', async () => {
    const firm = await world.workspace({ modules: [] })
    await world.sql(make('fourth', '{}'))
    for (const [n, name] of ['third', 'second', 'first'].entries())
      await world.sql(make(name, `{"ref": "${['fourth', 'third', 'second'][n]}"}`))
    for (const name of tables)
      await world.sql(`INSERT INTO ${name} VALUES ($1, 1, '${name}', 1), ($1, 2, '${name}', NULL), (0, 3, '${name}', 1)`, [
        firm.id,
      ])
    const found = (term: string) =>
      firm.inside(async ({ tx }) =>
        (await run(tx, `SELECT DISTINCT app.search_first('${term}') AS id ORDER BY 1`)).map(({ id }) => id),
      )
    for (const term of ['first', 'fi']) assert.deepEqual(await found(term), [1, 2], term)
    for (const term of ['second', 'third', 'se', 'thi']) assert.deepEqual(await found(term), [1], term)
    assert.deepEqual(await found('fourth'), [])
  })

  it('needs an index on the reference and a target that is searchable', async () => {
    await assert.rejects(
      world.sql(`SELECT app.searchable('users', ARRAY['name'], through => '{"created_by": "users"}')`),
      /needs an index on \(tenant_id, created_by\)/,
    )
    await assert.rejects(world.sql(`SELECT app.searchable('user_roles', ARRAY[]::text[], through => '{"role_id": "roles"}')`), {
      code: '42883',
    })
  })

  after(async () => {
    for (const name of tables)
      await world.sql(`DROP TABLE ${name}; DROP FUNCTION app.search_${name}; DELETE FROM table_layouts WHERE name = '${name}'`)
  })
})

describe('a broken constraint', () => {
  const fault = (fields: object, message = '') => Object.assign(new pg.DatabaseError(message, 0, 'error'), fields)

  it('is told by its name', async () => {
    const firm = await world.workspace({ modules: ['products'] })
    const again = `INSERT INTO users (tenant_id, name, email, created_at, updated_at) VALUES (${firm.id}, 'x', '${firm.owner.email}', now(), now())`
    const error = await world.sql(again).catch((error) => error)
    assert.deepEqual(violationOf(error), { kind: 'unique', constraint: 'users_email', table: 'users' })
  })

  it('is found in the message of a worker, without the number of the shard', () => {
    const unique = fault({ code: '23505' }, 'duplicate key value violates unique constraint "products_sku_102142"')
    assert.deepEqual(violationOf(unique), { kind: 'unique', constraint: 'products_sku', table: undefined })
    const used =
      'update or delete on table "vendors_102008" violates foreign key constraint "orders_vendor_102040" on table "purchase_orders_102040"'
    assert.deepEqual(violationOf(fault({ code: '23503' }, used)), {
      kind: 'foreign_key',
      constraint: 'orders_vendor',
      table: 'purchase_orders',
    })
    const check = 'new row for relation "stock_levels_102099" violates check constraint "stock_levels_not_negative_102099"'
    assert.deepEqual(violationOf(fault({ code: '23514' }, check)), {
      kind: 'check',
      constraint: 'stock_levels_not_negative',
      table: 'stock_levels',
    })
  })

  it('is nothing else: not another error, nor a lookalike', () => {
    for (const error of [
      fault({ code: '40001', constraint: 'x' }),
      new Error('unique constraint "x"'),
      { code: '23505', constraint: 'x' },
      undefined,
    ])
      assert.equal(violationOf(error), undefined)
  })
})

describe('on a cluster', () => {
  const page = readFileSync(join(sourceRoot, '../docs/scaling.md'), 'utf8')

  it('every table has a layout, and docs/scaling.md shows it', async () => {
    const tables =
      await world.sql(`SELECT c.relname AS name, l.layout FROM pg_class c LEFT JOIN table_layouts l ON l.name = c.relname
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1`)
    const rows = [...page.matchAll(/^\| `(\w+)` +\| ([a-z_]+) +\|/gm)].map(([, name, layout]) => [name!, layout!] as const)
    const told = new Map(rows)
    assert.equal(rows.length, told.size, 'a table has one row')
    const layouts = new Map(tables.map(({ name, layout }) => [name as string, layout as string | null]))
    const complaints = [
      ...[...layouts].flatMap(([name, layout]) => {
        if (!layout) return `The table ${name} has no layout: its migration ends with SELECT app.workspace_table('${name}')`
        if (!told.has(name)) return `Add this row, in the order of the alphabet:\n| \`${name}\` | ${layout} | |`
        return told.get(name) === layout ? [] : `The row of ${name} says ${told.get(name)}: it is ${layout}`
      }),
      ...[...told.keys()].flatMap((name) => (layouts.has(name) ? [] : `Remove the row of ${name}: there is no such table`)),
    ]
    if (complaints.length) assert.fail(`docs/scaling.md isn't that of the database.\n${complaints.join('\n')}`)
  })

  it('a table lies where its columns and references allow it to', async () => {
    const odd = await world.sql(`
      WITH t AS (SELECT c.oid, c.relname, l.layout, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id') AS owned
        FROM table_layouts l JOIN pg_class c ON c.relname = l.name AND c.relnamespace = 'public'::regnamespace)
      SELECT relname || ' has no tenant_id to be distributed by' AS what FROM t WHERE layout = 'distributed' AND NOT owned
      UNION ALL SELECT relname || ' has a tenant_id, and would be copied whole' FROM t WHERE layout = 'reference' AND owned
      UNION ALL SELECT t.relname || ' refers to ' || u.relname || ', which is ' || u.layout FROM t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'f'
        JOIN t u ON u.oid = k.confrelid WHERE u.layout <> 'reference' AND (t.layout <> 'distributed' OR u.layout <> 'distributed')
      UNION ALL SELECT t.relname || ': ' || k.conname || ' sets columns' FROM t JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'f'
        WHERE k.confdeltype IN ('n', 'd') OR k.confupdtype IN ('n', 'd', 'c')
      UNION ALL SELECT tablename || ': policy ' || policyname || ' has a sub-select' FROM pg_policies WHERE qual || coalesce(with_check, '') ~ 'SELECT'
      UNION ALL SELECT relname || ': the name ' || conname || ' leaves no room for a shard''s number' FROM t JOIN pg_constraint k ON k.conrelid = t.oid WHERE length(conname) >= 50 AND contype <> 'n'
      UNION ALL SELECT t.relname || ': the name ' || x.relname || ' leaves no room for a shard''s number' FROM t
        JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class x ON x.oid = i.indexrelid WHERE length(x.relname) >= 50
      UNION ALL SELECT t.relname || ': ' || role || ' may not take the next ' || a.attname FROM t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attidentity <> '',
        (VALUES ('app_tenant'), ('app_platform')) r (role)
        WHERE has_any_column_privilege(role, t.oid, 'INSERT') AND NOT has_sequence_privilege(role, pg_get_serial_sequence(t.relname, a.attname), 'USAGE')`)
    assert.deepEqual(
      odd.map(({ what }) => what),
      [],
    )
  })
})

describe('a transaction whose end has left', () => {
  it('takes no further statement, which would run outside of it', async () => {
    const { database } = world.services
    const late = await database.platform('read', async (tx, { commitWith }) => {
      await commitWith(tx.selectFrom('tenants').select('id').limit(1).execute())
      return tx
        .selectFrom('tenants')
        .select('id')
        .execute()
        .then(
          () => 'ran',
          (error: Error) => error.message,
        )
    })
    assert.match(late, /has been committed/)
    let kept: unknown
    await database.platform('write', async (tx) => {
      kept = tx
    })
    await assert.rejects(
      (kept as { selectFrom(table: string): any }).selectFrom('tenants').selectAll().execute(),
      /has been committed/,
    )
  })
})
