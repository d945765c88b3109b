/** Starts the measured processes: Atrium as it is normally started, and a bare Fastify server for comparison. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { BareJob } from './bare.ts'

const root = join(import.meta.dirname, '..')

/** Started server process. */
export interface Server {
  base: string
  pid: number
  /** Milliseconds from the start of the process until its ready message. */
  readyAfter: number
  stop(): Promise<void>
}

/** Runs `npm start` with its flags and these settings. With a profile folder, a CPU profile is written when it stops. */
export async function startAtrium(settings: Settings, profile?: string): Promise<Server> {
  const { DATABASE_URL: _, ...env } = process.env
  const began = performance.now()
  const child = spawn(
    process.execPath,
    [
      '--max-semi-space-size=4',
      '--expose-gc',
      ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []),
      join(root, 'src/start.js'),
      'start',
    ],
    { env: { ...env, ...settings }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stdout.on('data', (text) => /is ready/.test((said += text)) && resolve())
    child.on('exit', (code) => reject(new Error(`Atrium ended with ${code}:\n${said}`)))
  })
  const readyAfter = performance.now() - began
  const base = `http://localhost:${settings.PORT}`
  if ((await fetch(`${base}/readyz`)).status !== 200) throw new Error('Atrium said that it was ready and is not')
  return { base, pid: child.pid!, readyAfter, stop: () => end(child, 'SIGTERM') }
}

/** Returns the settings of the measured server, also for processes that join its database. */
export const atriumEnv = (dataDir: string, port: number, more: Record<string, string> = {}) => ({
  DATA_DIR: dataDir,
  PORT: String(port),
  LOG_LEVEL: 'error',
  TRUST_PROXY: 'loopback', // loads may come from many addresses
  ...more,
})
type Settings = ReturnType<typeof atriumEnv>

/** Starts a plain Fastify server in its own process. */
export async function startBare(job: BareJob): Promise<Server> {
  const began = performance.now()
  const child = fork(join(root, 'bench/bare.ts'), { serialization: 'advanced' })
  child.send(job)
  const [base] = (await once(child, 'message')) as [string]
  return { base, pid: child.pid!, readyAfter: performance.now() - began, stop: () => end(child, 'SIGTERM') }
}

async function end(child: ChildProcess, signal: NodeJS.Signals) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** Returns a TCP port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

const MEGABYTE = 1024

/** Memory in megabytes. PostgreSQL's processes share memory; the sum of their proportional shares (PSS) is the real size. */
export interface Memory {
  node: number
  postgres: number
  total: number
  /** Whether the system reports PSS. Otherwise these are resident sizes, which count shared memory several times. */
  shares: boolean
}

/** Returns the memory of Atrium's process and of its PostgreSQL server. */
export function memoryOf(server: Server, dataDir: string): Memory {
  const postmaster = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  const backends = processes().filter((pid) => parentOf(pid) === postmaster)
  const shares = field(postmaster, 'smaps_rollup', 'Pss') !== undefined
  const size = (pid: number) => ((shares ? field(pid, 'smaps_rollup', 'Pss') : field(pid, 'status', 'VmRSS')) ?? 0) / MEGABYTE
  const node = (field(server.pid, 'status', 'VmRSS') ?? 0) / MEGABYTE
  const postgres = [postmaster, ...backends].reduce((sum, pid) => sum + size(pid), 0)
  return { node, postgres, total: node + postgres, shares }
}

/** Returns the resident megabytes of the process, and of its children except PostgreSQL. */
export function residentOf({ pid }: Server): { own: number; children: number } {
  const resident = (one: number) => (field(one, 'status', 'VmRSS') ?? 0) / MEGABYTE
  const isPostgres = (one: number) => readText(one, 'comm').startsWith('postgres')
  const children = processes().filter((one) => parentOf(one) === pid && !isPostgres(one))
  return { own: resident(pid), children: children.reduce((sum, one) => sum + resident(one), 0) }
}

const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** Returns a value such as `Pss:  1234 kB` in a file of /proc/<pid>; undefined if it can't be read. */
function field(pid: number, file: string, name: string) {
  const found = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readText(pid, file))
  return found ? Number(found[1]) : undefined
}

function readText(pid: number, file: string) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return '' // it has ended, or may not be read
  }
}

const parentOf = (pid: number) => field(pid, 'status', 'PPid')
