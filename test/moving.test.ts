/**
 * `npm run move` copies each row of each table, including counters and the queue. `test/operations.ci.test.ts` runs the command
 * itself.
 */
// Also in CI: debian
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { moveRows } from '#kernel/database/moving.ts'
import { moveToOwnDatabase } from '#kernel/process/move.ts'
import { startTest } from './harness.ts'
import { testServer } from './server.ts'

async function isSuperuser(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('SELECT rolsuper FROM pg_roles WHERE rolname = current_user')
  await client.end()
  return rows[0].rolsuper as boolean
}

/** Returns the rows of each table as a digest, and the schema's constraints as text. */
async function contentsOf(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`SET TimeZone = 'UTC'; SET search_path = ''`)
    // An owner under forced row-level security uses the platform's role, which sees all rows.
    const { rows: tables } = await client.query(
      `SELECT oid::regclass::text AS name, relforcerowsecurity AS forced FROM pg_class
       WHERE relnamespace::regnamespace::text IN ('public', 'pgboss') AND relkind IN ('r', 'p') AND NOT relispartition AND relpersistence = 'p' ORDER BY 1`,
    )
    const contents: Record<string, unknown> = {}
    for (const { name, forced } of tables) {
      await client.query(forced ? 'SET ROLE app_platform' : 'RESET ROLE')
      const { rows } = await client.query(
        `SELECT count(*)::int, md5(string_agg(t::text, E'\\n' ORDER BY t::text)) FROM ${name} t`,
      )
      contents[name] = rows[0]
    }
    await client.query('RESET ROLE')
    const { rows: rules } = await client.query(
      `SELECT conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) AS rule FROM pg_constraint
         WHERE contype = 'f' AND connamespace::regnamespace::text IN ('public', 'pgboss')
       UNION ALL SELECT tgrelid::regclass::text || ' ' || tgname || ' ' || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
       UNION ALL SELECT oid::regclass::text || ' forced ' || relforcerowsecurity FROM pg_class WHERE relrowsecurity
       UNION ALL SELECT format('%I.%I %s', schemaname, sequencename, last_value) FROM pg_sequences ORDER BY 1`,
    )
    return { contents, rules: rules.map(({ rule }) => rule) }
  } finally {
    await client.end()
  }
}

const world = await startTest()
const server = await testServer()
const own = world.services.config.DATABASE_URL!
const from = server.adminUrlOf(new URL(own).pathname.slice(1))
const skip = (await isSuperuser(from)) ? false : 'needs a superuser: leave DATABASE_URL out'

test('all rows move to another database, under the rules that held before', { skip }, async (t) => {
  const firm = await world.workspace({ modules: ['vendors', 'purchase-orders'] })
  const vendor_id = (await firm.owner.post('/vendors', { name: 'O’Neil {"\\ &\n\tCo"}' })).body.data.id
  const lines = [{ description: 'Paper', quantity: 2, unit_price: 0.1 }]
  assert.equal((await firm.owner.post('/purchase-orders', { vendor_id, title: 'First', lines })).status, 201)
  await world.drain()

  const name = `atrium_moved_${randomBytes(6).toString('hex')}`
  await server.createDatabase(name)
  t.after(() => server.dropDatabase(name))
  const to = server.urlOf(name)
  // This test's process writes samples and maintains its queue: copies again if the data has changed meanwhile.
  let moved: Awaited<ReturnType<typeof contentsOf>>
  let expected: typeof moved
  do {
    expected = await contentsOf(from)
    assert.ok((await moveRows(from, to)) > 100)
    moved = await contentsOf(to)
  } while (!isDeepStrictEqual(expected, await contentsOf(from)))
  assert.deepEqual(moved, expected)
  assert.equal((moved.contents['public.purchase_orders'] as { count: number }).count, 1)

  await assert.rejects(moveRows(own, to), /row-level security/)
  assert.deepEqual(await contentsOf(to), moved, 'one that fails changes nothing')
})

test('another server is left where nobody works with it, by its own schema, for an empty database', { skip }, async (t) => {
  const [former, next] = ['former', 'next'].map((name) => `atrium_${name}_${randomBytes(6).toString('hex')}`) as [string, string]
  for (const name of [former, next]) {
    await server.createDatabase(name)
    t.after(() => server.dropDatabase(name))
  }
  const ask = async (text: string, values?: unknown[]) => {
    const client = new pg.Client({ connectionString: server.adminUrlOf(former) })
    await client.connect()
    try {
      return (await client.query(text, values)).rows
    } finally {
      await client.end()
    }
  }
  const config = { ...world.services.config, DATABASE_URL: server.urlOf(next) }
  const move = (url = server.adminUrlOf(former)) => moveToOwnDatabase(config, url)
  await assert.rejects(move('former'), /by its URL/)
  await assert.rejects(move(from), /The service uses the former database/)

  const last = await ask('DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations) RETURNING *')
  await assert.rejects(move(), /not up to date: run migrate/)
  await ask('INSERT INTO schema_migrations SELECT * FROM jsonb_populate_recordset(NULL::schema_migrations, $1)', [
    JSON.stringify(last),
  ])
  await ask("INSERT INTO platform_users (name, email, created_at, updated_at) VALUES ('Ann', 'ann@x.example', now(), now())")
  assert.ok((await move()) > 100)
  await assert.rejects(move(), /in use already/)
})
