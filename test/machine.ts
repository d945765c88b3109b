/**
 * A test machine on which the blocks of docs/operations.md run. Stand-ins replace what it lacks: systemd (using the page's own
 * unit), the service's user, and the repository with a newer version.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { signatureOf } from '#kernel/http/signature.ts'
import { freePort } from './free-port.ts'
import { apisAt, ownersToken, postmasterOf, workspaceOn } from './service.ts'

const root = join(import.meta.dirname, '..')

interface Filled {
  token: string
  order: number
  document: number
  hook: { uuid: string; signing_secret: string }
}

/** `elsewhere`: the page's names of other machines, and their replacements. */
export async function machine(elsewhere: [string, string][] = []) {
  const home = mkdtempSync(join(tmpdir(), 'atrium-operations-'))
  const at = (...path: string[]) => join(home, ...path)
  const [port, practicePort, databasePort] = [String(await freePort()), String(await freePort()), String(await freePort())]
  const url = `http://localhost:${port}`

  /** Paths in the page and their replacements. */
  const places: [string, string][] = [
    ['/srv/atrium', root],
    ['/var/lib/atrium', at('data')],
    ['/var/backups/atrium', at('backups')],
    ['/var/tmp/atrium-practice', at('practice')],
    ['/etc/atrium.env', at('atrium.env')],
    ['/etc/cron.daily/', at('bin/')],
    ['/usr/local/bin/', at('bin/')],
    ...elsewhere,
    ['localhost:5432', `127.0.0.1:${databasePort}`],
    ['3000', port],
    ['3999', practicePort],
  ]
  const here = (text: string) => places.reduce((changed, [name, place]) => changed.replaceAll(name, place), text)

  /** Returns the blocks of a language below a heading, up to the next heading. */
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

  function setUp() {
    for (const folder of ['bin', 'backups']) mkdirSync(at(folder))
    const [settings, unit] = blocks('Start', 'ini')
    writeFileSync(at('atrium.env'), `${settings!}LOG_LEVEL=warn\n`)
    const [, folder] = /^WorkingDirectory=(.*)$/m.exec(unit!)!
    const [, command] = /^ExecStart=(.*)$/m.exec(unit!)!
    const [, environment] = /^EnvironmentFile=(.*)$/m.exec(unit!)!
    const [, reload] = /^ExecReload=(.*)$/m.exec(unit!)!
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
        'reload atrium') MAINPID=$(cat ${at('pid')}); ${reload} ;;
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
  }

  async function tearDown() {
    await bash('systemctl stop atrium')
    for (const folder of ['data', 'practice', 'backups/stopped'])
      if (postmasterOf(at(folder))) await (await startEmbedded({ dataDir: at(folder) })).stop()
    rmSync(home, { recursive: true, force: true })
  }

  let filled: Filled

  /** Creates a sent order, a large document, and an endpoint with a secret. Returns the owner's token. */
  async function fill() {
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
    filled = { token, order, document, hook }
    return token
  }

  /** Returns everything that must be the same afterwards, as a client sees it. */
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

  /** Asserts that users can sign in, numbering continues, and encrypted data can be read: the secret verifies a signature. */
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

  return { home, at, url, databasePort, here, blocks, bash, follow, ready, setUp, tearDown, fill, seen, worksOn }
}
