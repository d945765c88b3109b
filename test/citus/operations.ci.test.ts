// CI stage: citus-short
// Own process: its services are processes, and take the cores.
/**
 * Migration to a cluster as in docs/operations.md, by running the blocks of that page and of docs/scaling.md with data. Starts
 * with one machine and its own database, then uses several processes, and a coordinator with two machines set up as the page
 * describes. On it: demo data, key rotation, an upgrade, one more machine, loss and restore of all, and the way back.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import { machine } from '../machine.ts'
import { apisAt } from '../service.ts'

const nodes = process.env.CITUS_NODES?.split(' ') ?? []
const skip = nodes.length ? false : 'needs a cluster: test/citus/with-cluster.sh'

const SCALING = 'docs/scaling.md'
const HEADING = 'A cluster, step by step'
const BACKUP = 'Back up and restore: a cluster'

describe('docs/operations.md, to a cluster', { skip }, async () => {
  if (skip) return
  const machines = ['coordinator', 'worker1', 'worker2', 'worker3']
  const ports = await Promise.all(machines.map(async () => String(await freePort())))
  const elsewhere = [
    ...machines.flatMap((name, n): [string, string][] => [
      [`${name}.example:5432`, `127.0.0.1:${ports[n]}`],
      [`'${name}.example', 5432`, `'127.0.0.1', ${ports[n]}`],
    ]),
    ['DNS:$machine', 'IP:127.0.0.1'] satisfies [string, string],
  ]
  const { home, at, url, databasePort, blocks, bash, follow, ready, setUp, tearDown, fill, seen, worksOn } =
    await machine(elsewhere)
  let programs = ''
  let token = ''
  const running = new Set<string>()
  const isRoot = process.getuid!() === 0
  const account = isRoot ? ['/usr/sbin/runuser', '-u', 'postgres', '--'] : []
  const owned = isRoot ? ['-o', 'postgres'] : []

  const run = (command: string, ...args: string[]) => {
    const [program, ...rest] = [...account, join(programs, command), ...args]
    const done = spawnSync(program!, rest, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] })
    assert.equal(done.status, 0, done.stderr)
  }
  const start = (folder: string) => {
    run('pg_ctl', '-D', folder, '-l', `${folder}.log`, '-w', 'start')
    running.add(folder)
  }
  const stop = (folder: string, how: string) => {
    run('pg_ctl', '-D', folder, '-m', how, '-w', 'stop')
    running.delete(folder)
  }
  /** Creates a server whose superuser connects by socket, unless its own rules differ. */
  function makeServer(name: string, port: string, settings: string, access: string) {
    const folder = at('servers', name)
    run('initdb', '-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync')
    writeFileSync(join(folder, 'pg_hba.conf'), `local all,replication all trust\n${access}`)
    const here = `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${at('servers')}'\nfsync = off\n`
    appendFileSync(join(folder, 'postgresql.conf'), here + settings)
    return folder
  }
  const psql = async (port: string, text: string) => {
    writeFileSync(at('sql'), text.replaceAll('…', 'secret'))
    const { code, text: said } = await bash(
      `${programs}/psql -qX -v ON_ERROR_STOP=1 -h ${at('servers')} -p ${port} -d postgres -f ${at('sql')}`,
    )
    assert.equal(code, 0, said)
    return said
  }

  /** Sets up a machine as the page describes: certificate, settings and rules, then role and database. */
  async function addMachine(n: number) {
    const name = machines[n]!
    const { code, text } = await bash(
      `cd ${at('authority')}\n${blocks(HEADING, 'sh', SCALING)[1]!.replace(/ in .*;/, ` in ${name}.example;`)}`,
    )
    assert.equal(code, 0, text)
    const [settings] = blocks(HEADING, 'ini', SCALING)
    const [archive] = onMachine(name, blocks(BACKUP, 'ini'))
    const access = blocks(HEADING, 'text', SCALING)[0]!.replaceAll(/10\.0\.\d\.0\/24/g, '127.0.0.1/32')
    // Fewer shards than the default of 32, which would take minutes.
    const folder = makeServer(name, ports[n]!, `citus.shard_count = 4\n${settings}${archive}`, access)
    for (const [file, to] of [
      ['root.crt', 'root.crt'],
      [`${name}.example.crt`, 'server.crt'],
      [`${name}.example.key`, 'server.key'],
    ] as const)
      assert.equal(spawnSync('install', ['-m', '600', ...owned, at('authority', file), join(folder, to)]).status, 0)
    spawnSync('install', ['-d', ...owned, at('copies'), at('copies', name), at('copies', name, 'wal')])
    start(folder)
    await psql(ports[n]!, blocks(HEADING, 'sql', SCALING)[0]!)
  }

  /** Returns the blocks of a page adapted to this machine's paths. */
  const onMachine = (name: string, found: string[]) =>
    found.map((text) =>
      text
        .replaceAll('/var/lib/postgresql/15/main', at('servers', name))
        .replaceAll('/var/backups/postgresql', at('copies', name))
        .replaceAll(
          'runuser -u postgres --',
          `PGHOST=${at('servers')} PGPORT=${ports[machines.indexOf(name)]} ${account.join(' ')}`,
        )
        .replaceAll('pg_basebackup', `${programs}/pg_basebackup`)
        .replace('systemctl stop postgresql\n', '')
        .replace('systemctl start postgresql\n', ''),
    )

  /** Creates a further order in an existing session: an account may sign in only five times a minute. */
  async function order() {
    const owner = apisAt(url).tenant(token)
    const vendor_id = (await owner('/vendors')).body.data[0].id
    return (await owner('/purchase-orders', { vendor_id, title: 'Chairs' })).body.data.number
  }

  before(async () => {
    const client = new pg.Client({ connectionString: nodes[0] })
    await client.connect()
    programs = (await client.query("SELECT setting FROM pg_config WHERE name = 'BINDIR'")).rows[0].setting
    await client.end()
    setUp()
    chmodSync(home, 0o711)
    spawnSync('install', ['-d', ...owned, at('servers')])
    mkdirSync(at('authority'))
  })
  after(async () => {
    await bash('systemctl stop atrium')
    for (const folder of running) stop(folder, 'immediate')
    await tearDown()
  })

  it('goes from one machine to an own database, and to several processes', async () => {
    await follow('Start')
    token = await fill()
    await worksOn('PO-00002')
    const expected = await seen()
    start(makeServer('own', databasePort, '', 'host all all 127.0.0.1/32 trust\n'))
    await psql(databasePort, blocks('The database', 'sql', 'docs/configuration.md')[0]!)
    assert.match(await follow('An own database'), /Moved: \d{3,} rows/)
    await follow('All cores of the machine')
    await ready()
    assert.deepEqual(await seen(), expected)
    await worksOn('PO-00003')
  })

  it('sets the machines of a cluster up', async () => {
    const { code, text } = await bash(`cd ${at('authority')}\n${blocks(HEADING, 'sh', SCALING)[0]}`)
    assert.equal(code, 0, text)
    for (const n of [0, 1, 2]) await addMachine(n)
    await psql(ports[0]!, `\\c atrium\n${blocks(HEADING, 'sql', SCALING)[1]}`)
  })

  it('goes to the cluster, several processes too', async () => {
    const expected = await seen()
    await psql(databasePort, blocks('Back up and restore: an own database', 'sql')[0]!)
    const text = await follow('A cluster', 0)
    assert.match(text, /Moved: \d{3,} rows[\s\S]*Distributed: \d+ tables with \d{3,} rows/)
    await ready()
    assert.deepEqual(await seen(), expected)
    await worksOn('PO-00004')
  })

  it('lets nobody in to a machine without a certificate of its authority', async () => {
    const own = `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=postgres -keyout ${at('own.key')} -out ${at('own.crt')}`
    assert.equal((await bash(own)).code, 0)
    const enter = (role: string, more: string) =>
      bash(`${programs}/psql -Xw 'postgresql://${role}@127.0.0.1:${ports[1]}/atrium?${more}' -c 'SELECT 1'`)
    for (const role of ['postgres', 'atrium', 'app_tenant', 'app_platform', 'app_operator'])
      for (const [more, reason] of [
        ['sslmode=disable', role === 'atrium' ? /no password supplied/ : /no pg_hba\.conf entry/],
        ['sslmode=require&sslcert=none', /requires a valid client certificate/],
        [`sslmode=require&sslcert=${at('own.crt')}&sslkey=${at('own.key')}`, /unknown ca|certificate verify failed/],
      ] as const) {
        const { code, text } = await enter(role, more)
        assert.equal(code, 2, `${role}, ${more}: ${text}`)
        assert.match(text, reason)
      }
    const files = at('authority', 'worker1.example')
    const { code, text } = await enter('app_tenant', `sslmode=require&sslcert=${files}.crt&sslkey=${files}.key`)
    assert.equal(code, 0, text)
  })

  it('is upgraded, and refuses to be moved to again', async () => {
    assert.match(await follow('A cluster', 1), /Every table is where it belongs/)
    await ready()
    await worksOn('PO-00005')
    const again = await bash('atrium move')
    assert.equal(again.code, 1)
    assert.match(again.text, /distributed already/)
  })

  it('is filled with made-up data', async () => {
    const { code, text } = await bash('atrium demo --workspaces 1 --records 3')
    assert.equal(code, 0, text)
    assert.match(text, /Sign in at/)
  })

  it('gets one more machine while it works', async () => {
    await addMachine(3)
    await psql(ports[0]!, `\\c atrium\n${blocks('One more machine', 'sql', SCALING)[0]}`)
    const moved = await bash('atrium rebalance')
    assert.equal(moved.code, 0, moved.text)
    assert.match(moved.text, /Moved \d+ shards/)
    assert.equal(await order(), 'PO-00006')
  })

  it('gets another key', async () => {
    await follow('The key', 0)
    await ready()
    const text = await follow('The key', 1)
    assert.match(text, /lead_webhook_endpoints\.signing_secret: [1-9]\d* encrypted anew/)
    assert.match(text, /No stored secret needs a former key any more/)
    await ready()
    await follow('The key', 2)
    await ready()
    await worksOn('PO-00007')
    assert.doesNotMatch(readFileSync(at('atrium.env'), 'utf8'), /APP_KEY_PREVIOUS/)
  })

  it('is restored on all machines as of a moment, after everything was lost', async () => {
    const [copy, restore] = [0, 1].map((n) => (name: string) => onMachine(name, blocks(BACKUP, 'sh'))[n]!)
    const each = async (script: (name: string) => string) => {
      const done = await bash(machines.map(script).join('\n'))
      assert.equal(done.code, 0, done.text)
    }
    const onAll = (text: string) => psql(ports[0]!, `\\c atrium\n${text}`)
    const timelines = () => onAll('SELECT tenant_id, count(*) FROM activities GROUP BY 1 ORDER BY 1')
    await each(copy!)
    assert.equal(await order(), 'PO-00008')
    const [expected, entries] = [await seen(), await timelines()]
    await onAll(blocks(BACKUP, 'sql')[0]!)
    assert.equal(await order(), 'PO-00009')
    await onAll('DELETE FROM activities')
    await bash('systemctl stop atrium')
    for (const name of machines) stop(at('servers', name), 'immediate')
    await each(restore!)
    for (const name of machines) start(at('servers', name))
    await bash('systemctl start atrium')
    await ready()
    assert.deepEqual(await seen(), expected)
    assert.equal(await timelines(), entries)
    assert.equal(await order(), 'PO-00009')
  })

  it('goes back to one machine', async () => {
    const expected = await seen()
    const [, rule] = /`(host atrium postgres .*?)`/.exec(readFileSync('docs/operations.md', 'utf8'))!
    appendFileSync(at('servers', 'coordinator', 'pg_hba.conf'), `${rule!.replace(/10\.0\.\d\.0\/24/, '127.0.0.1/32')}\n`)
    await psql(ports[0]!, "SELECT pg_reload_conf(); ALTER ROLE postgres PASSWORD '…'")
    await psql(databasePort, 'DROP DATABASE atrium; CREATE DATABASE atrium OWNER atrium;')
    assert.match(await follow('A cluster', 2), /Moved: \d{3,} rows/)
    await ready()
    assert.deepEqual(await seen(), expected)
    await worksOn('PO-00010')
  })
})
