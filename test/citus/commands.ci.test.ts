// CI stage: citus
// Own process: its commands are processes, and take the cores.
/** `npm run distribute`, `rebalance` and `isolate` on a cluster with data. Run by test/citus/with-cluster.sh. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import pino from 'pino'
import { readConfig } from '#kernel/config.ts'
import { startServices } from '#kernel/process/start.ts'
import { ADMIN, runCommand, type Service, startService } from '../service.ts'

const nodes = process.env.CITUS_NODES?.split(' ') ?? []
const skip = nodes.length ? false : 'needs a cluster: test/citus/with-cluster.sh'
const root = join(import.meta.dirname, '../..')

describe('a database with rows', { skip }, async () => {
  if (skip) return
  const name = `atrium_laid_out_${randomBytes(4).toString('hex')}`
  const on = (url: string, path = name) => Object.assign(new URL(url), { pathname: `/${path}` }).href
  const url = on(process.env.DATABASE_URL!)
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-distributed-'))
  const env = { ...ADMIN, DATABASE_URL: url, DATA_DIR: dataDir, APP_KEY: Buffer.alloc(32, 1).toString('base64') }
  const command = (...args: string[]) => runCommand(args, env)

  async function query(node: string, text: string, values?: unknown[]) {
    const client = new pg.Client({ connectionString: node })
    await client.connect()
    try {
      return (await client.query(text, values)).rows as any[]
    } finally {
      await client.end()
    }
  }
  const superuser = (text: string, values?: unknown[]) => query(on(nodes[0]!), text, values)
  /** Returns the rows of each table, and its constraints. */
  async function contents() {
    const tables = await superuser(
      "SELECT name, layout FROM table_layouts WHERE name NOT IN ('operations_samples', 'rate_limits', 'uptime_days') ORDER BY 1",
    )
    const counts: Record<string, unknown> = {}
    for (const { name } of tables)
      [counts[name]] = await superuser(`SELECT count(*)::int AS n, md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM ${name} t`)
    const rules = await superuser(
      `SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) AS rule FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid::regclass::text !~ '_[0-9]{6,}$'
       UNION ALL SELECT relname || ' is forced' FROM pg_class WHERE relforcerowsecurity AND relname !~ '_[0-9]{6,}$'
         AND relname <> 'sign_in_directory' -- which workspaces write on a cluster alone
       ORDER BY 1`,
    )
    return { counts, rules: rules.map(({ rule }) => rule) }
  }
  const unforced = () =>
    superuser(
      "SELECT relname FROM pg_class JOIN pg_dist_partition ON oid = logicalrelid WHERE relrowsecurity AND NOT relforcerowsecurity AND relname <> 'tenants'",
    )
  after(async () => {
    for (const node of nodes) await query(node, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)
    rmSync(dataDir, { recursive: true, force: true })
  })

  let before: Awaited<ReturnType<typeof contents>>

  it('is told what it lacks, and nothing is changed', async () => {
    for (const node of nodes) await query(node, `CREATE DATABASE "${name}" OWNER "${new URL(url).username}"`)
    const without = await command('distribute')
    assert.equal(without.code, 1)
    assert.match(without.output, /The extension citus is missing/)
    for (const node of nodes) await query(on(node), 'CREATE EXTENSION citus')
    const alone = await command('distribute')
    assert.equal(alone.code, 1)
    assert.match(alone.output, /citus_set_coordinator_host[\s\S]*citus_add_node/)
    const machine = (node: string) => [new URL(node).hostname, Number(new URL(node).port)]
    await superuser('SELECT citus_set_coordinator_host($1, $2)', machine(nodes[0]!))
    await superuser('SELECT citus_add_node($1, $2)', machine(nodes[1]!))
    const demo = await command('demo', '--workspaces', '1', '--records', '5')
    assert.equal(demo.code, 0, demo.output)
    before = await contents()
  })

  it('is distributed with its rows, by a command that is killed and run again', async () => {
    // State after a command was killed between creating the function and the trigger that calls it.
    await query(
      url,
      'CREATE FUNCTION app.bump_workspace_revision_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    )
    const first = spawn(process.execPath, ['src/main.ts', 'distribute'], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    first.stdout.on('data', (chunk) => {
      said += chunk
      if (said.includes('\n60 of ')) first.kill('SIGKILL')
    })
    await once(first, 'close')
    assert.match(said, /\n60 of /)
    const second = await command('distribute')
    assert.equal(second.code, 0, second.output)
    assert.match(second.output, /Distributed: \d+ tables with \d+ rows/)
    assert.deepEqual(await contents(), before)
    const [{ called }] = await superuser(
      "SELECT tgfoid::regprocedure::text AS called FROM pg_trigger WHERE tgrelid = 'tenants'::regclass AND tgname = 'access_revision'",
    )
    assert.equal(called, 'app.bump_workspace_revision_here()')
    assert.match((await command('distribute')).output, /Every table is where it belongs/)
  })

  it('takes the tables of later migrations', async () => {
    const config = readConfig(env)
    const log = pino({ level: 'silent' })
    await (await startServices(config, { worker: false, log, roots: [join(root, 'test/fixtures/modules')] })).stop()
    const { output, code } = await command('distribute')
    assert.equal(code, 0, output)
    assert.match(output, /trucks, distributed/)
    assert.deepEqual(await unforced(), [])
  })

  it('puts on the coordinator what an earlier version spread over the machines', async () => {
    const rows = await superuser('SELECT * FROM sign_in_directory ORDER BY tenant_id, user_id')
    assert.ok(rows.length > 1)
    // State of version 1: without policies, and next to the users.
    const policies = () => superuser("SELECT polname FROM pg_policy WHERE polrelid = 'sign_in_directory'::regclass ORDER BY 1")
    const had = await policies()
    assert.equal(had.length, 3)
    for (const { polname } of had) await superuser(`DROP POLICY ${polname} ON sign_in_directory`)
    await superuser('ALTER TABLE sign_in_directory NO FORCE ROW LEVEL SECURITY')
    await superuser('ALTER TABLE sign_in_directory DISABLE ROW LEVEL SECURITY')
    await superuser("SELECT create_distributed_table('sign_in_directory', 'tenant_id', colocate_with => 'users')")
    const { output, code } = await command('distribute')
    assert.equal(code, 0, output)
    assert.match(output, new RegExp(`sign_in_directory, citus_local, ${rows.length} rows`))
    assert.deepEqual(await superuser('SELECT * FROM sign_in_directory ORDER BY tenant_id, user_id'), rows)
    assert.deepEqual(
      await superuser("SELECT partmethod, repmodel FROM pg_dist_partition WHERE logicalrelid = 'sign_in_directory'::regclass"),
      [{ partmethod: 'n', repmodel: 's' }],
    )
    assert.deepEqual(await policies(), had)
    assert.deepEqual(await unforced(), [])
  })

  describe('while it is served', () => {
    let service: Service
    const failed: string[] = []
    let done = 0
    let slowest = 0
    let working = true
    let work: Promise<unknown>

    it('is served by the same code', async () => {
      service = await startService(env)
      const { body } = await service.central()('/auth/login', { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD })
      const made = await service.central(body.data.token)('/tenants', {
        ...{
          company_name: 'Firm',
          email: 'office@firm.example',
          owner_name: 'Ann',
          owner_email: 'ann@firm.example',
          owner_password: 'a good passphrase',
        },
      })
      assert.equal(made.status, 201, JSON.stringify(made.body) + service.output())
      await service.central(body.data.token)(`/tenants/${made.body.data.id}/verify-owner`, {})
      const { body: signedIn } = await service.tenant()('/auth/login', {
        email: 'ann@firm.example',
        password: 'a good passphrase',
      })
      const ask = service.tenant(signedIn.data.token)
      const loop = async () => {
        for (let n = 0; working; n++) {
          const began = performance.now()
          const { status, body } = await (n % 3 ? ask('/me') : ask('/roles', { name: `Role ${n}`, permissions: [] }))
          slowest = Math.max(slowest, performance.now() - began)
          done++
          if (status >= 300) failed.push(`${status} ${body?.message}`)
        }
      }
      work = loop()
    })

    it('is rebalanced over another machine without a failed request', async () => {
      await superuser('SELECT citus_add_node($1, $2)', [new URL(nodes[2]!).hostname, Number(new URL(nodes[2]!).port)])
      assert.match((await command('rebalance')).output, /replicate_reference_tables/)
      await superuser("SELECT replicate_reference_tables('block_writes')")
      const [moved, meanwhile] = await Promise.all([
        command('rebalance'),
        new Promise((go) => setTimeout(go, 1500)).then(() => command('rebalance')),
      ])
      assert.deepEqual([moved.code, meanwhile.code].sort(), [0, 1], moved.output + meanwhile.output)
      assert.match(moved.output + meanwhile.output, /being moved already/)
      assert.match(moved.output + meanwhile.output, /Moved \d+ shards/)
      assert.deepEqual(failed, [])
      assert.deepEqual(await unforced(), [])
      assert.match((await command('rebalance')).output, /Every machine has its share/)
    })

    it('gives a workspace a shard of its own; who writes meanwhile is told to try again at worst', async () => {
      const { output, code } = await command('isolate', 'firm')
      assert.equal(code, 0, output)
      assert.match(output, /has a shard of its own, on 127\.0\.0\.1:\d+/)
      assert.deepEqual(
        failed.filter((one) => !one.startsWith('503')),
        [],
      )
      assert.deepEqual(await unforced(), [])
      assert.match((await command('isolate', 'nobody')).output, /There is no workspace nobody/)
    })

    it('binds the owner again when a move was killed, at the next start', async () => {
      working = false
      await work
      assert.ok(done > 50, String(done))
      assert.equal(await service.stop(), 0)
      await superuser('ALTER TABLE vendors NO FORCE ROW LEVEL SECURITY')
      const again = await startService(env)
      assert.deepEqual(await unforced(), [])
      assert.equal(await again.stop(), 0)
    })
  })
})
