/** Tests docs/tour.md: its shell blocks run against the real process. */
// CI stage: processes
// Also in CI: citus-short
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { testServer } from './server.ts'
import { privateFolder, startService } from './service.ts'

const root = join(import.meta.dirname, '..')
const fenced = (page: string) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }))
const blocks = (page: string, language: string) =>
  fenced(page).flatMap((block) => (block.language === language ? [block.text] : []))

/** Returns the page's shell blocks, each with its expected output below; undefined: none. */
function steps(page: string) {
  const all = fenced(page)
  return all.flatMap(({ language, text }, n) => {
    const next = all[n + 1]
    return language === 'sh' ? [{ script: text, prints: next?.language === 'text' ? next.text : undefined }] : []
  })
}

/** Converts expected output to a pattern: `…` matches any text. */
const shown = (text: string) => new RegExp(`^${text.split('…').map(RegExp.escape).join('.*')}$`)

/** Returns the variables of `ADMIN_EMAIL=… ADMIN_PASSWORD='…' npm start` in the tour. */
function startEnvironment() {
  const [line = ''] = blocks('docs/tour.md', 'console')
  assert.match(line, / npm start\n$/)
  return Object.fromEntries(
    [...line.matchAll(/([A-Z_]+)=(?:'([^']*)'|(\S+))/g)].map(([, name, quoted, plain]) => [name!, quoted ?? plain!]),
  )
}

async function bash(script: string, cwd: string, env: Record<string, string>) {
  const { PATH = '' } = process.env
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk) => void (text += chunk))
  const [code] = await once(shell, 'close')
  return { code, text }
}

/** Returns the service's embedded database, or one on the cluster of test/citus/with-cluster.sh, with access to it. */
async function databaseFor(dataDir: string): Promise<{
  env: Record<string, string>
  join(): Promise<{ url: string; stop(): Promise<unknown> }>
  remove(): Promise<void>
}> {
  if (!process.env.CITUS_NODES) {
    const join = async () => startEmbedded({ dataDir }) // the service's server
    return { env: {}, join, remove: async () => {} }
  }
  const server = await testServer()
  const name = `atrium_tour_${randomBytes(4).toString('hex')}`
  await server.createDatabase(name)
  const url = server.urlOf(name)
  const remove = async () => {
    await server.dropDatabase(name)
    await server.release()
  }
  return { env: { DATABASE_URL: url }, join: async () => ({ url, stop: async () => {} }), remove }
}

const skip = spawnSync('curl', ['--version']).error && 'needs curl (apt-get install curl)'

test('the tour prints what it shows, from an empty folder to the end of the day', { skip }, async (t) => {
  const { dataDir, remove } = privateFolder()
  t.after(remove)
  const database = await databaseFor(dataDir)
  const service = await startService({ DATA_DIR: dataDir, ...database.env, ...startEnvironment() })
  t.after(() => service.stop())
  t.after(database.remove)

  const day = steps('docs/tour.md')
  const BETWEEN = '--- next ---\n'
  const script = day.map(({ script }) => script).join(`echo '${BETWEEN.trim()}'\n`)
  const { code, text } = await bash(script, dataDir, { BASE: service.url })
  const printed = text.split(BETWEEN)
  assert.equal(code, 0, printed.at(-1) ?? text)
  for (const [n, { script, prints = '' }] of day.entries()) assert.match(printed[n]!, shown(prints), script)

  const pdf = readFileSync(join(dataDir, 'purchase-order.pdf'))
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
  assert.ok(pdf.length > 5000)

  const { url, stop } = await database.join()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('SET ROLE app_platform')
  const { rows } = await client.query('SELECT on_hand::float FROM stock_levels')
  await client.end()
  await stop()
  assert.deepEqual(rows, [{ on_hand: 40 }])
})
