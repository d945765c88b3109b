/**
 * PostgreSQL for `npm test -- <some files>`: remains for some minutes after the last run, with its templates, so that short runs
 * don't wait for a server. One per checkout. As a program with its folder as argument, it stops an unused server.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startOf } from '#kernel/database/ownership.ts'
import { makeTemplate, type ServerFacts, serverFolder, startPostgres, startServer } from './server.ts'

const STAYS_MS = 10 * 60_000
const SIGN_OF_LIFE_MS = 30_000

const root = join(import.meta.dirname, '..')
/** Contains the path of the server's folder. */
const record = join(root, 'node_modules/.cache/atrium-test-server')

/** Starts or joins the server. An external one (DATABASE_URL) is permanent, and gets a template as for a full run. */
export async function startWarmServer(): Promise<{ facts: ServerFacts; stop(): Promise<void> }> {
  if (process.env.DATABASE_URL) return startServer()
  const dataDir = folderOfServer()
  const touch = () => utimesSync(dataDir, new Date(), new Date())
  touch()
  const alive = setInterval(touch, SIGN_OF_LIFE_MS).unref()
  watchOver(dataDir)
  const { url, adminUrl } = await startPostgres(dataDir)
  const facts = { url, adminUrl, template: `atrium_template_${checksum()}`, workers: [] }
  await onceFor(facts, () => makeTemplate(facts, facts.template, dataDir))
  return {
    facts,
    async stop() {
      clearInterval(alive)
      touch()
    },
  }
}

function folderOfServer() {
  const known = existsSync(record) ? readFileSync(record, 'utf8') : undefined
  if (known && existsSync(known)) return known
  const made = mkdtempSync(join(serverFolder(), 'atrium-test-warm-'))
  mkdirSync(join(record, '..'), { recursive: true })
  writeFileSync(record, made)
  return made
}

/** Returns the hash of everything that a template depends on: migrations, initial data, and the queue's tables. */
function checksum() {
  const hash = createHash('sha256')
  const files = ['src/**/migrations/*.sql', 'src/*/*/module.ts', 'src/platform/**/*.ts', 'package-lock.json']
  for (const file of globSync(files, { cwd: root }).sort())
    if (!file.endsWith('.test.ts')) hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Creates a template unless it is complete. Serialises concurrent runs. */
async function onceFor({ adminUrl, template }: ServerFacts, make: () => Promise<void>) {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(`SELECT pg_advisory_lock(hashtextextended('atrium test template', 0))`)
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1 AND datistemplate', [template])
    if (rowCount) return
    await make()
    await client.query(`ALTER DATABASE "${template}" IS_TEMPLATE true`)
  } finally {
    await client.end()
  }
}

/** Starts a process that outlives the run and stops the server. */
function watchOver(dataDir: string) {
  const file = join(dataDir, 'watcher')
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0)
  } catch {
    const watcher = spawn(process.execPath, [import.meta.filename, dataDir], { detached: true, stdio: 'ignore' })
    watcher.unref()
    writeFileSync(file, String(watcher.pid))
  }
}

if (import.meta.main) {
  const dataDir = process.argv[2]!
  const ownerFile = join(dataDir, 'postgres.owner')
  const isOwned = () => {
    const [pid, start] = existsSync(ownerFile) ? readFileSync(ownerFile, 'utf8').split(' ') : []
    return start !== undefined && startOf(Number(pid)) === start
  }
  while (isOwned() || statSync(dataDir).mtimeMs > Date.now() - STAYS_MS) await sleep(SIGN_OF_LIFE_MS)
  await (await startPostgres(dataDir)).stop()
  rmSync(dataDir, { recursive: true, force: true })
}
