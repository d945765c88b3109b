/**
 * `npm run dev`: runs the service and restarts it when its source changes, on a PostgreSQL that keeps running. The first start
 * creates a workspace with demo data; each start prints how to sign in. Data are in `data-dev` (or DATA_DIR); `-- --fresh`
 * deletes them first.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs, styleText } from 'node:util'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { prettyLine } from './pretty-log.ts'

/** Delay of a restart: editors write a file in several steps, and some several files at once. */
const SETTLED_MS = 60
/** Maximum time that a restart waits for running work. */
const STOP_MS = 700
/** Password of all demo users. Only this machine can reach the service. */
const PASSWORD = 'correct horse battery'

const root = join(import.meta.dirname, '..')
const { values: options } = parseArgs({ options: { fresh: { type: 'boolean' } } })
const env: Record<string, string | undefined> = {
  DATA_DIR: join(root, 'data-dev'),
  HOST: '127.0.0.1',
  DEVELOPMENT: 'true',
  ADMIN_EMAIL: 'admin@atrium.localhost',
  ADMIN_PASSWORD: PASSWORD,
  ...process.env,
}
const folder = env.DATA_DIR!
const marker = join(folder, 'demo-workspace.json')
if (options.fresh) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const say = (line: string) => console.log(styleText('cyan', line))
const server = env.DATABASE_URL ? undefined : await startEmbedded({ dataDir: folder, log: say })
let running: ChildProcess | undefined
let restarting: Promise<void> | undefined
let ending = false
let settled: NodeJS.Timeout | undefined
const watcher = watch(join(root, 'src'), { recursive: true }, (_, file) => {
  if (!file || !/\.(ts|sql|js|css|html|typ)$/.test(file) || file.endsWith('.test.ts')) return
  clearTimeout(settled)
  settled = setTimeout(() => {
    say(`${file} changed`)
    restart()
  }, SETTLED_MS)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)
await demoWorkspace()
restart()

/** Restarts the service. Calls are serialised: a change during a restart causes another one. */
function restart() {
  const before = restarting
  restarting = (async () => {
    await before
    await stop()
    if (!ending) start()
  })()
}

function start() {
  const began = performance.now()
  const child = spawn(process.execPath, [join(root, 'src/main.ts'), 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  running = child
  createInterface({ input: child.stdout }).on('line', (line) => {
    console.log(prettyLine(line))
    if (line.startsWith('  Data ')) printSignIn(began)
  })
  child.on('exit', (code, signal) => {
    if (running === child && !ending) say(`The service ended (${signal ?? code}): it starts anew with the next change.`)
  })
}

async function stop() {
  const child = running
  running = undefined
  if (!child || child.exitCode !== null || child.signalCode) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await gone
  clearTimeout(impatience)
}

async function end() {
  if (ending) return
  ending = true
  watcher.close()
  clearTimeout(settled)
  await restarting
  await stop()
  await server?.stop()
  process.exit(0)
}

async function demoWorkspace() {
  if (existsSync(marker)) return
  say('Making a workspace with made-up data: a minute, at the first start only')
  const { makeDemo } = await import('../src/demo/demo.ts')
  const { readConfig } = await import('#kernel/config.ts')
  const { logTo } = await import('#kernel/process/log.ts')
  const { startServices } = await import('#kernel/process/start.ts')
  const services = await startServices(readConfig(env), { worker: false, log: logTo('error') })
  try {
    const [made] = await makeDemo(services, { workspaces: 1, records: 60, seed: 1, password: PASSWORD })
    writeFileSync(marker, JSON.stringify({ slug: made!.slug, email: made!.email }))
  } finally {
    await services.stop()
  }
}

function printSignIn(began: number) {
  const { slug, email } = JSON.parse(readFileSync(marker, 'utf8'))
  say(`  Sign in         workspace ${slug}, ${email}, password: ${PASSWORD}`)
  say(`  Operator        ${env.ADMIN_EMAIL}, the password is the same`)
  say(`  Up in ${((performance.now() - began) / 1000).toFixed(1)} s; it starts anew when something below src changes.`)
}
