// Own process: its services are processes, and take the cores.
/**
 * The way of docs/operations.md to a cluster, by the blocks of that page and of docs/scaling.md, with data: one machine, an own database, several processes,
 * and a coordinator with two machines that are set up as the page says, not as other tests have them. There demo data, another key, an upgrade, and the way back.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import { machine } from '../machine.ts'

const nodes = process.env.CITUS_NODES?.split(' ') ?? []
const skip = nodes.length ? false : 'needs a cluster: test/citus/with-cluster.sh'

const SCALING = 'docs/scaling.md'
const HEADING = 'A cluster, step by step'

describe('docs/operations.md, to a cluster', { skip }, async () => {
  if (skip) return
  const machines = ['coordinator', 'worker1', 'worker2']
  const ports = await Promise.all(machines.map(() => freePort()))
  const elsewhere = machines.flatMap((name, n): [string, string][] => [
    [`${name}.example:5432`, `127.0.0.1:${ports[n]}`],
    [`'${name}.example', 5432`, `'127.0.0.1', ${ports[n]}`],
  ])
  const { home, at, blocks, bash, databasePort, follow, ready, setUp, tearDown, fill, seen, worksOn } = await machine(elsewhere)
  let programs = ''
  const running: string[] = []

  const run = (command: string, ...args: string[]) => {
    const all = [join(programs, command), ...args]
    const [program, ...rest] = process.getuid!() === 0 ? ['/usr/sbin/runuser', '-u', 'postgres', '--', ...all] : all
    const done = spawnSync(program!, rest, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] })
    assert.equal(done.status, 0, done.stderr)
  }
  /** A server whose superuser comes by its socket, if its own rules say nothing else. */
  function startServer(name: string, port: string, settings: string, access: string) {
    const folder = at('servers', name)
    run('initdb', '-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync')
    writeFileSync(join(folder, 'pg_hba.conf'), access)
    const here = `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${at('servers')}'\nfsync = off\n`
    appendFileSync(join(folder, 'postgresql.conf'), here + settings)
    run('pg_ctl', '-D', folder, '-l', `${folder}.log`, '-w', 'start')
    running.push(folder)
  }
  const psql = async (port: string, text: string) => {
    writeFileSync(at('sql'), text.replaceAll('…', 'secret'))
    const { code, text: said } = await bash(
      `${programs}/psql -qX -v ON_ERROR_STOP=1 -h ${at('servers')} -p ${port} -d postgres -f ${at('sql')}`,
    )
    assert.equal(code, 0, said)
  }

  before(async () => {
    const client = new pg.Client({ connectionString: nodes[0] })
    await client.connect()
    programs = (await client.query("SELECT setting FROM pg_config WHERE name = 'BINDIR'")).rows[0].setting
    await client.end()
    setUp()
    chmodSync(home, 0o711)
    spawnSync('install', ['-d', ...(process.getuid!() === 0 ? ['-o', 'postgres'] : []), at('servers')])
  })
  after(async () => {
    await bash('systemctl stop atrium')
    for (const folder of running) run('pg_ctl', '-D', folder, '-m', 'immediate', 'stop')
    await tearDown()
  })

  it('goes from one machine to an own database, and to several processes', async () => {
    await follow('Start')
    await fill()
    await worksOn('PO-00002')
    const expected = await seen()
    startServer('own', databasePort, '', 'local all all trust\nhost all all 127.0.0.1/32 trust\n')
    await psql(databasePort, blocks('The database', 'sql', 'docs/configuration.md')[0]!)
    assert.match(await follow('An own database'), /Moved: \d{3,} rows/)
    await follow('All cores of the machine')
    await ready()
    assert.deepEqual(await seen(), expected)
    await worksOn('PO-00003')
  })

  it('sets the machines of a cluster up', async () => {
    const [settings] = blocks(HEADING, 'ini', SCALING)
    const [access] = blocks(HEADING, 'text', SCALING)
    const [eachMachine, coordinator] = blocks(HEADING, 'sql', SCALING)
    for (const [n, name] of machines.entries()) {
      startServer(
        name,
        String(ports[n]),
        settings!,
        `local all all trust\n${access!.replaceAll(/10\.0\.\d\.0\/24/g, '127.0.0.1/32')}`,
      )
      await psql(String(ports[n]), eachMachine!)
    }
    await psql(String(ports[0]), `\\c atrium\n${coordinator}`)
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

  it('gets another key', async () => {
    await follow('The key', 0)
    await ready()
    const text = await follow('The key', 1)
    assert.match(text, /lead_webhook_endpoints\.signing_secret: [1-9]\d* encrypted anew/)
    assert.match(text, /No stored secret needs a former key any more/)
    await ready()
    await follow('The key', 2)
    await ready()
    await worksOn('PO-00006')
    assert.doesNotMatch(readFileSync(at('atrium.env'), 'utf8'), /APP_KEY_PREVIOUS/)
  })

  it('goes back to one machine', async () => {
    const expected = await seen()
    await psql(databasePort, 'DROP DATABASE atrium; CREATE DATABASE atrium OWNER atrium;')
    assert.match(await follow('A cluster', 2), /Moved: \d{3,} rows/)
    await ready()
    assert.deepEqual(await seen(), expected)
    await worksOn('PO-00007')
  })
})
