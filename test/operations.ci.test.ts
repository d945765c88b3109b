/**
 * Tests docs/operations.md: its shell blocks run against real processes (test/machine.ts); afterwards records, documents, files,
 * numbers and secrets must be unchanged. Run by `.ci/run`; a separate database needs Debian's PostgreSQL. The part about clusters
 * is in test/citus.
 */
// CI stage: operations
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { machine } from './machine.ts'
import { apisAt, postmasterOf, startService } from './service.ts'

const own = await machine()
const { home, at, url, databasePort, here, blocks, bash, follow, ready, fill, seen, worksOn } = own
before(own.setUp)
after(own.tearDown)
let token: string

/** Kills all processes and deletes the data. */
async function disaster() {
  const pids = [Number(readFileSync(at('pid'), 'utf8')), postmasterOf(at('data'))]
  for (const pid of pids) if (pid) process.kill(pid, 'SIGKILL')
  rmSync(at('pid'))
  rmSync(at('data'), { recursive: true, force: true, maxRetries: 20 })
}

describe('docs/operations.md', () => {
  it('starts a service', async () => {
    await follow('Start')
    token = await fill()
    await worksOn('PO-00002')
  })

  it('shows what to watch', async () => {
    assert.match(await follow('What to watch'), /^database_connections\{state="open"\} \d+$/m)
  })

  const noProxy = [spawnSync('nginx', ['-v']), spawnSync('openssl', ['version'])].some(({ error }) => error)
  it('is reached through nginx, WebSockets too, which shows nobody the figures', {
    skip: noProxy && 'there is no nginx',
  }, async () => {
    const proxyPort = await freePort()
    const [server] = blocks('Behind a proxy', 'nginx')
    const listening = server!.replace('listen 443', `listen 127.0.0.1:${proxyPort}`).replaceAll('/etc/ssl/atrium', home)
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${at('nginx')};`)
    const outside = `daemon off; master_process off; pid ${at('nginx.pid')}; error_log ${at('nginx.log')}; events {}`
    writeFileSync(at('nginx.conf'), `${outside}\nhttp {\naccess_log off; ${folders.join(' ')}\n${listening}}\n`)
    const made = await bash(
      `openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=atrium.example -out ${at('fullchain.pem')} -keyout ${at('privkey.pem')}`,
    )
    assert.equal(made.code, 0, made.text)
    const nginx = spawn('nginx', ['-e', at('nginx.log'), '-c', at('nginx.conf')], { stdio: 'ignore' })
    try {
      const key = (await apisAt(url).tenant(token)('/broadcasting/config')).body.data.key
      const through = `curl -sk --retry 30 --retry-connrefused --retry-delay 1 --http1.1 --max-time 20 https://127.0.0.1:${proxyPort}`
      const upgrade = `-H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='`
      const { text } = await bash(
        `${through}/readyz; ${through}/metrics -o /dev/null -w ' %{http_code}\n'
        timeout 3 ${through}/app/${key}?protocol=7 -iN ${upgrade} || true`,
      )
      assert.match(text, /"ready"\} 403\nHTTP\/1\.1 101 .*pusher:connection_established/s)
    } finally {
      nginx.kill()
      await once(nginx, 'exit')
    }
  })

  it('backs the embedded database up, and restores it after everything was lost', async () => {
    const expected = await seen()
    const heading = 'Back up and restore: the embedded database'
    assert.match(await follow(heading, 0), /the database \(\d+ MB\), 2 files, and the key/)
    await worksOn('PO-00003')
    const later = await seen()
    assert.notDeepEqual(later, expected)
    await setTimeout(1000) // a backup's name contains the second
    await follow(heading, 1)
    assert.equal(globSync(at('backups/2*')).length, 2)

    await disaster()
    await follow(heading, 2)
    await ready()
    assert.deepEqual(await seen(), later)
    await worksOn('PO-00004')

    const stopped = await seen()
    await follow(heading, 3)
    await ready()
    const copy = await startService({ DATA_DIR: at('backups/stopped') }, 'api')
    assert.deepEqual(await seen(copy.url), stopped)
    await copy.stop()
  })

  it('lets one practise, and upgrades', async () => {
    await follow('Practise it')
    assert.equal(existsSync(at('practice')), false)
    const before = await seen()
    assert.match(await follow('Upgrade'), /20270101000000-something\.sql\nBacked up to /)
    assert.deepEqual(await seen(), before)
  })

  const programs = globSync('/usr/lib/postgresql/*/bin/pg_ctl').map(dirname).sort().at(-1)
  const skip = programs && process.getuid!() === 0 ? false : 'an own database is tried as root, with PostgreSQL installed'

  describe('with an own database', { skip }, () => {
    const asPostgres = (command: string, ...args: string[]) => {
      const done = spawnSync('/usr/sbin/runuser', ['-u', 'postgres', '--', join(programs!, command), ...args], {
        encoding: 'utf8',
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      assert.equal(done.status, 0, done.stderr)
    }
    const major = Number(/(\d+)\/bin$/.exec(programs ?? '')?.[1])
    const folder = at('server')
    let running = false
    const startServer = () => {
      spawnSync('install', ['-d', '-o', 'postgres', folder])
      chmodSync(home, 0o711)
      asPostgres('initdb', '-D', join(folder, 'data'), '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync')
      asPostgres(
        'pg_ctl',
        '-D',
        join(folder, 'data'),
        '-l',
        join(folder, 'log'),
        '-w',
        '-o',
        `-p ${databasePort} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`,
        'start',
      )
      running = true
    }
    const stopServer = () => {
      if (running) asPostgres('pg_ctl', '-D', join(folder, 'data'), '-m', 'immediate', 'stop')
      running = false
      rmSync(folder, { recursive: true, force: true })
    }
    const psql = async (text: string, database = 'postgres') => {
      writeFileSync(at('sql'), major < 16 ? text.replace(' WITH INHERIT FALSE, SET TRUE', '') : text)
      const { code, text: said } = await bash(`psql -qX -v ON_ERROR_STOP=1 -d ${database} -f ${at('sql')}`)
      assert.equal(code, 0, said)
    }
    after(async () => {
      await bash('systemctl stop atrium')
      stopServer()
    })

    it('moves to it', async () => {
      startServer()
      const [roles] = blocks('The database', 'sql', 'docs/configuration.md')
      await psql(roles!.replace('…', 'secret'))
      const expected = await seen()
      assert.match(await follow('An own database'), /Moved: \d{3,} rows/)
      await ready()
      assert.deepEqual(await seen(), expected)
      await worksOn('PO-00005')
    })

    it('is served by several processes, which are replaced', async () => {
      await follow('All cores of the machine')
      await ready()
      const { code, text } = await bash('systemctl reload atrium')
      assert.equal(code, 0, text)
      await ready()
      await worksOn('PO-00006')
    })

    it('backs it up, and restores it on a new server after everything was lost', async () => {
      const heading = 'Back up and restore: an own database'
      const [backupRole, roles] = blocks(heading, 'sql')
      await psql(backupRole!)
      const refused = await bash(`pg_dump --file=/dev/null ${here('postgresql://atrium:secret@localhost:5432/atrium')}`)
      assert.equal(refused.code, 1)
      assert.match(refused.text, /row-level security/)
      await follow(heading, 0)
      const expected = await seen()

      await bash('systemctl stop atrium')
      rmSync(at('data'), { recursive: true })
      stopServer()
      startServer()
      await psql(roles!)
      const restore = `pg_restore --single-transaction --dbname=${here('postgresql://atrium:secret@localhost:5432/atrium')}`
      assert.match((await bash(`${restore} ${at('backups/database.dump')} || true`)).text, /permission denied|must be/)
      await follow(heading, 1)
      await ready()
      assert.deepEqual(await seen(), expected)
      await worksOn('PO-00007')
    })

    it('takes the key out of the folder', async () => {
      await follow('The key')
      await ready()
      assert.equal(existsSync(at('data/app.key')), false)
      await worksOn('PO-00008')
    })
  })
})
