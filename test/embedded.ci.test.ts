// CI stage: processes
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import pg from 'pg'
import { type EmbeddedServer, startEmbedded } from '../src/kernel/database/embedded.ts'

const module = path.resolve(import.meta.dirname, '../src/kernel/database/embedded.ts')
const quick = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

let parent: string
let dataDir: string
let servers: EmbeddedServer[] = []
let children: ChildProcess[] = []

beforeEach(() => {
  parent = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'embedded-test-'))
  fs.chmodSync(parent, 0o755)
  dataDir = path.join(parent, 'data')
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const server of servers) await server.stop()
  // Takes over and stops what a failed test has left.
  if (fs.existsSync(path.join(dataDir, 'postgres', 'postmaster.pid'))) await (await startEmbedded({ dataDir })).stop()
  fs.rmSync(parent, { recursive: true, force: true })
  servers = []
  children = []
})

async function start(settings: Record<string, string> = quick): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataDir, settings })
  servers.push(server)
  return server
}

async function query(connectionString: string, text: string): Promise<any[]> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

const reachable = (url: string) =>
  query(url, 'select 1').then(
    () => true,
    () => false,
  )

/** Starts the server in another process that then waits; resolves once it is ready. */
async function startElsewhere(settings: Record<string, string>): Promise<ChildProcess> {
  const script = `
    const { startEmbedded } = await import(${JSON.stringify(module)})
    await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, settings: ${JSON.stringify(settings)} })
    console.log('ready')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [output] = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])
  assert.match(String(output), /ready/)
  return child
}

const postmaster = () => Number(fs.readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])

/**
 * Kills only this test's own postmaster and its children. Children are listed first, so that none escapes; from /proc, because
 * `ps` may be missing.
 */
function killServer(): void {
  const pid = postmaster()
  const backends = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
  for (const target of [pid, ...backends.map(Number)]) {
    try {
      process.kill(target, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // already exited
    }
  }
}

function parentOf(pid: string) {
  try {
    return Number(/\) \S (\d+)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1])
  } catch {
    return undefined
  }
}

test('starts in a fresh folder, for an application role without special rights', async () => {
  const { url, adminUrl } = await start({})
  const [role] = await query(url, 'select * from pg_roles where rolname = current_user')
  assert.equal(role.rolname, 'atrium')
  assert.partialDeepStrictEqual(role, {
    rolcanlogin: true,
    rolcreaterole: true,
    rolsuper: false,
    rolcreatedb: false,
    rolbypassrls: false,
    rolreplication: false,
  })
  const [facts] = await query(
    url,
    `select current_setting('TimeZone') as zone, current_setting('listen_addresses') as tcp, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as sync, upper('é') as upper, pg_encoding_to_char(encoding) as encoding,
      pg_get_userbyid(datdba) as owner from pg_database where datname = current_database()`,
  )
  assert.deepEqual(facts, { zone: 'UTC', tcp: '', fsync: 'on', sync: 'on', upper: 'É', encoding: 'UTF8', owner: 'atrium' })
  const [admin] = await query(adminUrl, 'select rolsuper from pg_roles where rolname = current_user')
  assert.equal(admin.rolsuper, true)

  const socketDir = new URL(url).searchParams.get('host')!
  const { uid, mode } = fs.lstatSync(socketDir)
  assert.equal(mode & 0o777, 0o700)
  assert.equal(uid, fs.statSync(path.join(dataDir, 'postgres')).uid)
  assert.notEqual(uid, 0)
})

test('keeps its data between two starts, and stop may be called again', async () => {
  const first = await start()
  await query(first.url, 'create table kept as select 7 as value')
  await Promise.all([first.stop(), first.stop()])
  assert.equal(await reachable(first.url), false)
  assert.deepEqual(fs.readdirSync(dataDir).sort(), ['postgres', 'postgres.log'])

  const second = await start()
  assert.equal(second.url, first.url)
  await first.stop()
  assert.deepEqual(await query(second.url, 'select value from kept'), [{ value: 7 }])
})

test('a guest joins and leaves without stopping the server', async () => {
  const [first, second] = await Promise.all([start(), start()])
  const elsewhere = await startElsewhere(quick)
  elsewhere.kill('SIGKILL')
  await second.stop()
  assert.equal(await reachable(first.url), true)
  await first.stop()
  assert.equal(await reachable(first.url), false)
})

test('an owner that leaves stops the server only when nobody else uses it', async () => {
  const { url, leave } = await start()
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await leave()
  assert.equal((await other.query('select 1 as one')).rowCount, 1)
  await other.end()
  while (await reachable(url)) await leave() // its backend exits a moment after the connection
})

test('heals a first start that ended before the role and the database existed', async () => {
  const { adminUrl, stop } = await start()
  await query(adminUrl, 'drop database atrium')
  await query(adminUrl, 'drop role atrium')
  await stop()
  fs.mkdirSync(path.join(dataDir, 'postgres.new-killed'))
  const { url } = await start()
  assert.equal(await reachable(url), true)
  assert.equal(fs.existsSync(path.join(dataDir, 'postgres.new-killed')), false)
})

test('a committed row survives kill -9 of the whole server', async () => {
  const { url } = await start({})
  await query(url, 'create table kept (value integer)')
  await query(url, 'insert into kept values (1)')
  const before = postmaster()
  killServer()
  // The lock contains the pid of another live process: a reused pid must not prevent the start.
  const lock = path.join(dataDir, 'postgres', 'postmaster.pid')
  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  children.push(bystander)
  fs.writeFileSync(lock, fs.readFileSync(lock, 'utf8').replace(String(before), String(bystander.pid)))
  const again = await start({})
  assert.notEqual(postmaster(), before)
  assert.deepEqual(await query(again.url, 'select value from kept'), [{ value: 1 }])
})

test('takes over the server of an owner that was killed with -9, and really stops it', async () => {
  const owner = await startElsewhere({})
  const pid = postmaster()
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  const { url, stop } = await start()
  assert.equal(postmaster(), pid)
  assert.equal(await reachable(url), true)
  await stop()
  assert.equal(await reachable(url), false)
})

test('a committed row survives kill -9 of server and owner together', async () => {
  const owner = await startElsewhere({})
  const guest = await start()
  await query(guest.url, 'create table kept as select 2 as value')
  owner.kill('SIGKILL')
  killServer()
  await once(owner, 'exit')
  const { url } = await start({})
  assert.deepEqual(await query(url, 'select value from kept'), [{ value: 2 }])
})

test('works below a folder that only its owner may enter', async () => {
  fs.chmodSync(parent, 0o700)
  const { url, stop } = await start()
  assert.equal(await reachable(url), true)
  await stop()
  assert.equal(await reachable((await start()).url), true)
})

test('a server that cannot start fails at once with the end of its log', async () => {
  const began = Date.now()
  await assert.rejects(start({ shared_buffers: 'plenty' }), /invalid value for parameter "shared_buffers": "plenty"/)
  assert.ok(Date.now() - began < 10_000)
  assert.equal(fs.existsSync(path.join(dataDir, 'postgres.owner')), false)
  assert.equal(await reachable((await start()).url), true)
})
