/**
 * docs/operations.md does what it says: its shell blocks are run against real processes, after which records, papers,
 * files, numbers and secrets must be what they were. Stand-ins take the place of what a test machine hasn't: systemd (by the page's own
 * unit), the service's user, and the repository with a newer version. Run by `.ci/run`; an own database needs Debian's PostgreSQL.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { signatureOf } from '#kernel/http/signature.ts'
import { freePort } from './free-port.ts'
import { apisAt, ownersToken, postmasterOf, startService, workspaceOn } from './service.ts'

const root = join(import.meta.dirname, '..')
const home = mkdtempSync(join(tmpdir(), 'atrium-operations-'))
const at = (...path: string[]) => join(home, ...path)

const [port, practicePort, databasePort] = [String(await freePort()), String(await freePort()), String(await freePort())]
const url = `http://localhost:${port}`

/** What the page calls by the names of a machine of its own. */
const places: [string, string][] = [
  ['/srv/atrium', root],
  ['/var/lib/atrium', at('data')],
  ['/var/backups/atrium', at('backups')],
  ['/var/tmp/atrium-practice', at('practice')],
  ['/etc/atrium.env', at('atrium.env')],
  ['/etc/cron.daily/', at('bin/')],
  ['/usr/local/bin/', at('bin/')],
  ['localhost:5432', `127.0.0.1:${databasePort}`],
  ['3000', port],
  ['3999', practicePort],
]
const here = (text: string) => places.reduce((changed, [name, place]) => changed.replaceAll(name, place), text)

/** The blocks of a language below a heading, up to the next one. */
function blocks(heading: string, language: string, page = 'docs/operations.md') {
  const [, section = ''] =
    new RegExp(`^#+ ${heading}\n(.*?)(?=^## |^### |(?![^]))`, 'ms').exec(readFileSync(join(root, page), 'utf8')) ?? []
  const found = [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, text]) => here(text!))
  assert.ok(found.length, `${page} has no ${language} below “${heading}”`)
  return found
}

async function bash(script: string, env: Record<string, string> = {}) {
  const { PATH = '', HOME = '' } = process.env
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: home,
    env: { PATH: `${at('bin')}:${PATH}`, HOME, PGHOST: '127.0.0.1', PGPORT: databasePort, PGUSER: 'postgres', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => void (text += chunk))
  const [code] = await once(shell, 'close')
  return { code, text }
}

/** Runs all shell blocks below a heading. */
async function follow(heading: string, only?: number) {
  const found = blocks(heading, 'sh')
  const { code, text } = await bash((only === undefined ? found : [found[only]!]).join('\n'))
  assert.equal(code, 0, `${heading}:\n${text}\n${existsSync(at('log')) ? readFileSync(at('log'), 'utf8').slice(-2000) : ''}`)
  return text
}

function program(name: string, text: string) {
  writeFileSync(at('bin', name), `#!/bin/bash\n${text}`)
  chmodSync(at('bin', name), 0o755)
}

async function ready() {
  const { code, text } = await bash(`curl -fsS --retry 60 --retry-connrefused --retry-delay 1 ${url}/readyz`)
  assert.equal(code, 0, text)
}

before(() => {
  for (const folder of ['bin', 'backups']) mkdirSync(at(folder))
  const [settings, unit] = blocks('Start', 'ini')
  writeFileSync(at('atrium.env'), `${settings!}LOG_LEVEL=warn\n`)
  const [, folder] = /^WorkingDirectory=(.*)$/m.exec(unit!)!
  const [, command] = /^ExecStart=(.*)$/m.exec(unit!)!
  const [, environment] = /^EnvironmentFile=(.*)$/m.exec(unit!)!
  assert.match(unit!, /^KillMode=mixed$/m)
  program(
    'systemctl',
    `start() { set -a; . ${environment}; set +a; cd ${folder}; ${command} >>${at('log')} 2>&1 & echo $! >${at('pid')}; }
    stop() {
      [ -e ${at('pid')} ] || return 0
      pid=$(cat ${at('pid')}); rm ${at('pid')}; kill $pid || return 0
      while [ -e /proc/$pid ] && ! grep -q '^State:.Z' /proc/$pid/status; do sleep 0.05; done
    }
    case "$1 \${2-}" in
      'daemon-reload ') ;;
      'start atrium' | 'enable --now') start ;;
      'stop atrium') stop ;;
      'restart atrium') stop; start ;;
      *) exit 1 ;;
    esac`,
  )
  program(
    'runuser',
    `case "$1 $3" in
      '-u --') shift 3; exec "$@" ;;
      '- -c') exec bash -euc "$4" ;;
      *) exit 1 ;;
    esac`,
  )
  program(
    'setpriv',
    '[ "$1" != --reuid=atrium ] || { shift 4; exec "$@"; }\nPATH=/usr/sbin:/usr/bin:/sbin:/bin exec setpriv "$@"',
  )
  program('git', '[ "$1" != diff ] || echo src/workspace/leads/migrations/20270101000000-something.sql')
  program('npm', '[ "$*" = ci ]')
})

after(async () => {
  await bash('systemctl stop atrium')
  for (const folder of ['data', 'practice', 'backups/stopped'])
    if (postmasterOf(at(folder))) await (await startEmbedded({ dataDir: at(folder) })).stop()
  rmSync(home, { recursive: true, force: true })
})

interface Filled {
  token: string
  order: number
  document: number
  hook: { uuid: string; signing_secret: string }
}
let filled: Filled

/** A sent order, a document of some size, an endpoint with a secret. */
async function fill(): Promise<Filled> {
  const owner = await workspaceOn(apisAt(url), ['vendors', 'purchase-orders', 'documents', 'leads'])
  const token = await ownersToken(apisAt(url))
  const vendor_id = (await owner('/vendors', { name: 'Nordwind' })).body.data.id
  const lines = [{ description: 'Oak desk', quantity: 3, unit_price: 0.1, tax_rate: 19 }]
  const order = (await owner('/purchase-orders', { vendor_id, title: 'Desks', lines })).body.data.id
  assert.equal((await owner(`/purchase-orders/${order}/send`, {})).status, 200)
  const form = new FormData()
  form.set('title', 'Terms')
  form.set('file', new File([Buffer.alloc(300_000, 'terms ')], 'terms.txt'))
  const upload = await fetch(`${url}/api/tenant/v1/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  const document = ((await upload.json()) as any).data.id
  const hook = (await owner('/leads/integrations/webhooks', { name: 'Website' })).body.data
  return { token, order, document, hook }
}

/** All that must be the same afterwards, as a client sees it. */
async function seen(base = url) {
  const { token, order, document } = filled
  const owner = apisAt(base).tenant(token)
  const bytes = async (path: string) => {
    const reply = await fetch(`${base}/api/tenant/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(reply.status, 200, path)
    return Buffer.from(await reply.arrayBuffer()).toString('base64')
  }
  return {
    vendors: (await owner('/vendors')).body.data,
    orders: (await owner('/purchase-orders')).body.data,
    timeline: (await owner(`/purchase-orders/${order}/timeline`)).body.data,
    leads: (await owner('/leads')).body.meta.total,
    paper: await bytes(`/purchase-orders/${order}/pdf`),
    document: await bytes(`/documents/${document}/download`),
  }
}

/** People sign in, the next number is the next one, and what is encrypted is read: the secret judges a signature. */
async function worksOn(next: string) {
  const { order, hook } = filled
  const owner = apisAt(url).tenant(await ownersToken(apisAt(url)))
  const { vendor_id } = (await owner(`/purchase-orders/${order}`)).body.data
  assert.equal((await owner('/purchase-orders', { vendor_id, title: next })).body.data.number, next)
  const body = JSON.stringify({ name: `Lead of ${next}` })
  const headers = {
    'content-type': 'application/json',
    'x-service-signature': signatureOf(hook.signing_secret, Math.floor(Date.now() / 1000), body),
  }
  assert.equal((await fetch(`${url}/webhooks/leads/custom/${hook.uuid}`, { method: 'POST', headers, body })).status, 201)
}

/** Everything dies at once, and the disk is gone. */
async function disaster() {
  const pids = [Number(readFileSync(at('pid'), 'utf8')), postmasterOf(at('data'))]
  for (const pid of pids) if (pid) process.kill(pid, 'SIGKILL')
  rmSync(at('pid'))
  rmSync(at('data'), { recursive: true, force: true, maxRetries: 20 })
}

describe('docs/operations.md', () => {
  it('starts a service', async () => {
    await follow('Start')
    filled = await fill()
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
      const key = (await apisAt(url).tenant(filled.token)('/broadcasting/config')).body.data.key
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
    await setTimeout(1000) // a backup is named by its second
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
      await worksOn('PO-00006')
    })

    it('takes the key out of the folder', async () => {
      await follow('The key')
      await ready()
      assert.equal(existsSync(at('data/app.key')), false)
      await worksOn('PO-00007')
    })
  })
})
