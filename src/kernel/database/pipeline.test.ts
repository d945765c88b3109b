// Also in CI: debian
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { startTest, type Workspace } from '#test/harness.ts'
import { writeAsSystem } from '../context.ts'
import { allPipelined, connect, type Database } from './connect.ts'
import { type Pipeline, pipelineOf } from './pipeline.ts'

const world = await startTest()
const url = world.services.config.DATABASE_URL!

describe('a batch of statements', () => {
  let client: pg.Client
  let pipeline: Pipeline
  let answers = 0

  before(async () => {
    client = new pg.Client({ connectionString: url, pipeline: true } as pg.ClientConfig)
    await client.connect()
    pipeline = pipelineOf(client, () => (text) => text)
    ;(client as any).connection.on('readyForQuery', () => answers++)
  })
  after(() => client.end())

  const run = (text: string, values?: unknown[], name?: string) => pipeline.run<Record<string, unknown>>(text, values, name)
  const scalar = async (...of: Parameters<typeof run>) => Object.values((await run(...of)).rows[0]!)[0]
  const settled = async (...all: Promise<unknown>[]) =>
    (await Promise.allSettled(all)).map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message))

  it('is answered once', async () => {
    answers = 0
    const waiting = Promise.resolve().then(() => scalar('SELECT 2'))
    const last = pipeline.behind(() => scalar('SELECT 3'))
    assert.deepEqual(await Promise.all([scalar('SELECT 1'), waiting, last]), ['1', '2', '3'])
    assert.equal(answers, 1)
  })

  it('takes values of every kind, and many', async () => {
    const long = 'ä€😀'.repeat(200_000)
    const array = await scalar(
      'SELECT array_to_json(ARRAY[$1, $2, $3::timestamptz::text, $4::jsonb->>0, encode($5::bytea, $6), $7])::text',
      ['a"b', null, new Date(0), { 0: 1 }, Buffer.from([1, 2]), 'hex', 7],
    )
    assert.deepEqual(JSON.parse(array as string).toSpliced(2, 1), ['a"b', null, null, '0102', '7'])
    assert.equal(await scalar('SELECT $1::text[]', [['x', 'y,z', null]]), '{x,"y,z",NULL}')
    assert.equal(await scalar('SELECT $1::text', [long]), long)
    const values = Array.from({ length: 65_536 }, (_, n) => n)
    await assert.rejects(run(`SELECT ARRAY[${values.map((n) => `$${n + 1}::int`)}]`, values), /at most 65535|65535 values/)
    assert.deepEqual((await run('SELECT 1 AS a WHERE false')).rows, [])
    assert.equal((await run('')).command, '')
  })

  it('rejects from the failed statement on, all with its error, and goes on', async () => {
    for (const name of ['', 'divided']) {
      const all = ['SELECT 1', 'SELECT 1 / 0', 'SELECT 2'].map((text, n) => scalar(text, [], name && `${name}${n}`))
      assert.deepEqual(await settled(...all), ['1', 'division by zero', 'division by zero'])
      assert.equal(await scalar('SELECT 2', [], name && `${name}2`), '2')
    }
  })

  it('rejects alone what cannot be sent', async () => {
    const circular: Record<string, unknown> = {}
    circular.circular = circular
    const [one, none, two] = await settled(scalar('SELECT 1'), scalar('SELECT $1::text', [circular]), scalar('SELECT 2'))
    assert.deepEqual([one, two], ['1', '2'])
    assert.match(none as string, /circular/)
  })

  it('rejects alone whose answer cannot be read', async () => {
    const reading = pipelineOf(new Proxy(client, {}) as pg.Client, (oid) =>
      oid === 25 ? () => assert.fail('unreadable') : Number,
    )
    const all = ['SELECT 1', `SELECT 'text'::text`, 'SELECT 2'].map(async (text) => (await reading.run(text)).rows)
    const [one, none, two] = await settled(...all)
    assert.deepEqual([none, Object.values((one as any)[0])[0], Object.values((two as any)[0])[0]], ['unreadable', 1, 2])
  })

  it('prepares what has a name, again after it failed, and after its columns have changed', async () => {
    const divide = (by: number) => scalar('SELECT 6 / $1::int', [by], 'divide')
    assert.deepEqual(await settled(divide(0), divide(1), divide(2)), Array(3).fill('division by zero'))
    assert.deepEqual(await settled(divide(2), divide(3)), ['3', '2'])
    assert.deepEqual(await settled(divide(0), divide(1)), Array(2).fill('division by zero'))
    assert.equal(await divide(1), '6')
    await run('CREATE TEMP TABLE growing AS SELECT 1 AS a')
    const read = async () => (await run('SELECT * FROM growing', [], 'growing')).rows[0]
    assert.deepEqual({ ...(await read()) }, { a: '1' })
    await run('ALTER TABLE growing ADD b int DEFAULT 2')
    await assert.rejects(read(), /cached plan/)
    assert.deepEqual({ ...(await read()) }, { a: '1', b: '2' })
  })

  it('is rejected when its end fails, outside of a transaction', async () => {
    await run('CREATE TEMP TABLE deferred (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)')
    await assert.rejects(run('INSERT INTO deferred VALUES (1), (1)'), /duplicate key/)
    assert.equal(await scalar('SELECT count(*) FROM deferred'), '0')
  })

  it('skips the COMMIT behind a failed statement', async () => {
    await run('CREATE TEMP TABLE written (n int PRIMARY KEY)')
    const insert = () => run('INSERT INTO written VALUES (1)')
    const all = await settled(run('BEGIN'), insert(), insert(), run('COMMIT'))
    assert.match(all[2] as string, /duplicate key/)
    assert.equal(all[3], all[2])
    await assert.rejects(run('SELECT 1'), /aborted/)
    await run('ROLLBACK')
    assert.equal(await scalar('SELECT count(*) FROM written'), '0')
  })

  it('is rejected whole when its connection is killed', async () => {
    const dying = new pg.Client({ connectionString: url, pipeline: true } as pg.ClientConfig)
    dying.on('error', () => {})
    await dying.connect()
    const { run } = pipelineOf(dying, () => (text) => text)
    const { rows } = await run<{ pid: string }>('SELECT pg_backend_pid() AS pid')
    const [one, ...others] = [run('SELECT 1'), run('SELECT pg_sleep(30)'), run('SELECT 2')]
    for (const other of others) other.catch(() => {})
    one!.catch(() => {})
    await until(
      async () =>
        (await world.sql(`SELECT FROM pg_stat_activity WHERE pid = $1 AND state = 'active'`, [rows[0]!.pid])).length > 0,
    )
    await world.sql('SELECT pg_terminate_backend($1)', [rows[0]!.pid])
    for (const other of others) await assert.rejects(other, /terminat/)
    await assert.rejects(run('SELECT 3'), /ECONNRESET|EPIPE|terminat|not queryable|closed/i)
  })
})

for (const prepare of [false, true])
  describe(`a transaction, its statements ${prepare ? '' : 'not '}prepared`, () => {
    let database: Database
    let firm: Workspace

    before(async () => {
      const timeouts = { statement: 300, lock: 5000, idle: 5000, connection: 5000 }
      database = connect({ url, size: 1, prepare, direct: prepare, timeouts })
      firm = await world.workspace({ modules: [] })
    })
    after(() => database.close())

    const nameOf = async () => (await world.sql('SELECT workspace_name AS name FROM tenants WHERE id = $1', [firm.id]))[0].name
    const healthy = async () =>
      assert.equal(await database.workspace(firm.id, 'read', async (tx) => (await current(tx)).tenant), String(firm.id))
    const current = async (tx: any) =>
      (await sql<Record<string, string>>`select current_user as who, current_setting('app.tenant_id') as tenant`.execute(tx))
        .rows[0]!
    const timeout = async (tx: any) =>
      (await sql<{ now: string }>`select current_setting('statement_timeout') as now`.execute(tx)).rows[0]!.now

    it('has its role, its workspace and its timeouts', async () => {
      for (const mode of ['read', 'write'] as const) {
        const [who, now] = await database.workspace(firm.id, mode, async (tx) => allPipelined(current(tx), timeout(tx)))
        assert.deepEqual([{ ...who }, now], [{ who: 'app_tenant', tenant: String(firm.id) }, '300ms'])
      }
      assert.equal(await database.platform('read', async (tx) => (await current(tx)).who), 'app_platform')
    })

    it('writes nothing when its opening fails, and tells of that', async () => {
      const rename = (tx: any) => sql`update tenants set workspace_name = 'Changed' where id = ${firm.id}`.execute(tx)
      const before = await nameOf()
      const openings = {
        'division by zero': (ask: any) => ask('SELECT 1 / 0', []),
        refused: async (ask: any) => {
          await ask('SELECT 1', [])
          throw new Error('refused')
        },
      }
      for (const [why, opening] of Object.entries(openings)) {
        await assert.rejects(
          database.workspace(
            firm.id,
            'write',
            async (tx, { commitThenRead }) => commitThenRead(rename(tx), () => current(tx)),
            opening,
          ),
          new RegExp(why),
        )
        await assert.rejects(
          database.workspace(firm.id, 'read', async (tx, { commitWith }) => commitWith(current(tx)), opening),
          new RegExp(why),
        )
        assert.equal(await nameOf(), before)
        await healthy()
      }
    })

    it('writes nothing when a statement before its COMMIT fails', async () => {
      const before = await nameOf()
      const failing = database.platform('write', async (tx, { commitThenRead }) => {
        const first = sql`update tenants set workspace_name = 'Changed' where id = ${firm.id}`.execute(tx)
        const statement = allPipelined(first, sql`select 1 / 0`.execute(tx))
        return commitThenRead(statement, () => current(tx))
      })
      await assert.rejects(failing, /division by zero/)
      assert.equal(await nameOf(), before)
      await healthy()
    })

    it('has written when only the reading behind its COMMIT fails', async () => {
      const failing = database.platform('write', (tx, { commitThenRead }) => {
        const statement = sql`update tenants set workspace_name = 'Written' where id = ${firm.id}`.execute(tx)
        return commitThenRead(statement, () => sql`select 1 / 0`.execute(tx))
      })
      await assert.rejects(failing, /division by zero/)
      assert.equal(await nameOf(), 'Written')
      await healthy()
    })

    it('is not done again when the reading behind its COMMIT fails, and what waits for its end is done', async () => {
      let [times, told] = [0, 0]
      const failing = writeAsSystem(world.services, (ctx) => {
        times++
        ctx.afterCommit(() => void told++)
        const statement = sql`update tenants set workspace_name = ${`Written ${times}`} where id = ${firm.id}`.execute(ctx.tx)
        return ctx.commitThenRead(statement, () =>
          sql`do $$ begin raise exception 'deadlock' using errcode = '40P01'; end $$`.execute(ctx.tx),
        )
      })
      await assert.rejects(failing, /deadlock/)
      assert.deepEqual([times, told, await nameOf()], [1, 1, 'Written 1'])
      await healthy()
    })

    it('is over for whoever comes next, though a failure of its last statement was swallowed', async () => {
      const swallowed = database.platform('read', (tx, { commitWith }) =>
        commitWith(sql`select 1 / 0`.execute(tx).catch(() => 'swallowed')),
      )
      await swallowed.catch(() => {})
      await healthy()
      await database.platform('read', async (tx) => sql`select 1 / 0`.execute(tx).catch(() => 'swallowed'))
      await healthy()
    })

    it('ends when a statement of a batch takes too long', async () => {
      const outcomes = await database.platform('read', async (tx) => {
        const all = [sql`select 1`, sql`select pg_sleep(30)`, sql`select 2`].map((one) => one.execute(tx))
        return (await Promise.allSettled(all)).map((one) => (one.status === 'rejected' ? one.reason.code : 'done'))
      })
      assert.deepEqual(outcomes, ['done', '57014', '57014'])
      await healthy()
    })
  })

describe('a request', () => {
  /** Returns the number of the database's replies during the work. */
  async function trips(work: () => Promise<{ status: number }>) {
    const { pool } = world.services.database
    let answers = 0
    const seen = new Set<object>()
    const watch = (client: any) => {
      if (seen.has(client)) return
      seen.add(client)
      client.connection.on('readyForQuery', count)
    }
    const count = () => answers++
    pool.on('acquire', watch)
    const { status } = await work()
    pool.off('acquire', watch)
    for (const client of seen as Set<any>) client.connection.off('readyForQuery', count)
    assert.ok(status < 300)
    return answers
  }

  it('asks the database once to list, show and count, twice to make', async () => {
    const firm = await world.workspace({ modules: ['vendors'] })
    const make = () => firm.owner.post('/vendors', { name: 'Paper & Co' })
    const { id } = (await make()).body.data
    for (const path of ['/vendors', `/vendors/${id}`, '/vendors?search=paper']) {
      await firm.owner.get(path)
      assert.equal(await trips(() => firm.owner.get(path)), 1, path)
    }
    assert.equal(await trips(make), 2)
  })
})

async function until(holds: () => Promise<boolean>) {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}
