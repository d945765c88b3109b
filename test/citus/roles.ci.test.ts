/**
 * Tenant isolation on a cluster for each role that can reach its machines (docs/decisions/0021): replies of the coordinator and
 * of the machines themselves. Run by test/citus/with-cluster.sh; test/tenancy.test.ts covers the rest, there as everywhere.
 */
// CI stage: citus-short
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { inPublic, originOf } from '#kernel/context.ts'
import type { Tx } from '#kernel/database/connect.ts'
import { enterWorkspace } from '#kernel/tenancy/session.ts'
import { startTest, type Workspace } from '../harness.ts'

const workers = process.env.CITUS_NODES?.split(' ').slice(1) ?? []
const skip = workers.length ? false : 'needs a cluster: test/citus/with-cluster.sh'

describe('on a cluster', { skip }, async () => {
  if (skip) return
  const world = await startTest()
  const { database, config } = world.services
  let a: Workspace
  let b: Workspace
  before(async () => {
    a = await world.workspace()
    b = await world.workspace()
    for (const { owner } of [a, b]) assert.equal((await owner.post('/vendors', { name: 'Vendor' })).status, 201)
  })

  const rows = async (tx: Tx, text: string) => (await sql.raw<any>(text).execute(tx)).rows
  const inEntered = <T>(workspace: Workspace, work: (tx: Tx) => Promise<T>) =>
    inPublic(originOf(world.services), 'write', (ctx) => enterWorkspace(ctx, workspace.id, ({ tx }) => work(tx)))
  const distributed = async () =>
    (await world.sql(
      `SELECT logicalrelid::text AS name FROM pg_dist_partition JOIN pg_class ON oid = logicalrelid WHERE relrowsecurity AND relname <> 'tenants' ORDER BY 1`,
    )) as { name: string }[]

  for (const [who, inside] of [
    ['a request of a workspace', (tx: Workspace, work: (tx: Tx) => Promise<unknown>) => database.workspace(tx.id, 'write', work)],
    ['a platform transaction that has entered a workspace', inEntered],
  ] as const) {
    it(`${who} sees no row of another one, in any table`, async () => {
      const tables = await distributed()
      assert.ok(tables.length > 100)
      for (const { name } of tables) {
        const foreign = inside(a, (tx) => rows(tx, `SELECT 1 FROM ${name} WHERE tenant_id IS DISTINCT FROM ${a.id} LIMIT 1`))
        const seen = await foreign.catch((error) => (error.code === '42501' ? [] : assert.fail(`${name}: ${error.message}`))) // no privilege
        assert.deepEqual(seen, [], name)
      }
      assert.deepEqual(await inside(a, (tx) => rows(tx, `SELECT id FROM tenants`)), [{ id: a.id }])
      assert.equal(((await inside(a, (tx) => rows(tx, 'SELECT 1 FROM vendors'))) as unknown[]).length, 1)
    })

    it(`${who} changes no row of another one`, async () => {
      const insert = `INSERT INTO vendors (tenant_id, name, created_at, updated_at) VALUES (${b.id}, 'Foreign', now(), now())`
      await assert.rejects(
        inside(a, (tx) => rows(tx, insert)),
        /row-level security/,
      )
      const moved = `UPDATE vendors SET name = 'Taken' WHERE tenant_id = ${b.id} RETURNING id`
      assert.deepEqual(await inside(a, (tx) => rows(tx, moved)), [])
      assert.deepEqual(await inside(a, (tx) => rows(tx, `DELETE FROM vendors WHERE tenant_id = ${b.id} RETURNING id`)), [])
      assert.deepEqual(await world.sql('SELECT name FROM vendors WHERE tenant_id = $1', [b.id]), [{ name: 'Vendor' }])
    })
  }

  it('a platform transaction sees all again behind the workspace', async () => {
    const seen = await inPublic(originOf(world.services), 'read', async (ctx) => {
      await enterWorkspace(ctx, a.id, async () => {})
      return rows(ctx.tx, 'SELECT DISTINCT tenant_id FROM vendors ORDER BY 1')
    })
    assert.deepEqual(seen, [{ tenant_id: a.id }, { tenant_id: b.id }])
  })

  it('a request that forgets its workspace sees nothing', async () => {
    const client = await database.pool.connect()
    try {
      for (const settings of [[], ["SET LOCAL citus.propagate_set_commands = 'local'"]]) {
        for (const text of ['BEGIN', ...settings, 'SET LOCAL ROLE app_tenant']) await client.query(text)
        assert.deepEqual((await client.query('SELECT * FROM vendors')).rows, [])
        await client.query('ROLLBACK')
      }
      // Settings of the coordinator's session don't apply on the machines.
      for (const text of ['BEGIN', 'SET LOCAL ROLE app_tenant', `SET LOCAL app.tenant_id = '${a.id}'`]) await client.query(text)
      assert.deepEqual((await client.query('SELECT * FROM vendors')).rows, [])
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })

  it('a machine that is asked directly shows app_tenant nothing until it names a workspace, and never its neighbours', async () => {
    const name = new URL(config.DATABASE_URL!).pathname
    for (const worker of workers) {
      const { port } = new URL(worker)
      const client = new pg.Client({ connectionString: `postgresql://app_tenant@127.0.0.1:${port}${name}` })
      await client.connect()
      await client.query('SET citus.override_table_visibility = off')
      const { rows: shards } = await client.query(
        `SELECT c.relname AS name FROM pg_class c WHERE relname ~ '^(vendors|users|activities)_\\d{6,}$' AND relkind = 'r'`,
      )
      assert.ok(shards.length)
      for (const { name } of shards) {
        assert.deepEqual((await client.query(`SELECT * FROM ${name}`)).rows, [], name)
        await client.query(`SET app.tenant_id = '${a.id}'`)
        assert.deepEqual((await client.query(`SELECT * FROM ${name} WHERE tenant_id <> ${a.id}`)).rows, [], name)
        await client.query('RESET app.tenant_id')
      }
      await client.end()
    }
  })

  it('the operator’s role may do with every table what app_platform may', async () => {
    const lacks = await world.sql(
      `SELECT c.oid::regclass::text AS name, privilege FROM pg_class c, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
         AND has_table_privilege('app_platform', c.oid, privilege) AND NOT has_table_privilege('app_operator', c.oid, privilege)`,
    )
    assert.deepEqual(lacks, [])
  })

  it('the roles of requests may neither take another role nor lift the policies', async () => {
    for (const role of ['app_tenant', 'app_operator']) {
      const client = new pg.Client({ connectionString: Object.assign(new URL(config.DATABASE_URL!), { username: role }).href })
      await client.connect()
      const others =
        role === 'app_tenant'
          ? ['app_platform', 'app_operator', 'postgres', 'atrium_ci']
          : ['app_tenant', 'postgres', 'atrium_ci']
      for (const other of others)
        await assert.rejects(client.query(`SET ROLE ${other}`), /permission denied/, `${role} → ${other}`)
      await assert.rejects(client.query('ALTER TABLE vendors DISABLE ROW LEVEL SECURITY'), /must be owner/)
      if (role === 'app_tenant') await assert.rejects(client.query('SELECT app.workspace_session(1, NULL)'), /permission denied/)
      await client.end()
    }
  })
})
