/** A real Atrium process, started from the command line in a separate folder, with clients over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '#kernel/database/embedded.ts'
import { wallClockEnvironment } from './days.ts'

const root = join(import.meta.dirname, '..')

export const ADMIN = { ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: 'correct horse battery' }

interface Reply {
  status: number
  body: any
}
type Call = (path: string, body?: unknown) => Promise<Reply>

/** Clients of paths below the API's base: GET, or POST when there is a body. */
export interface Apis {
  central(token?: string): Call
  tenant(token?: string): Call
}

export interface Service extends Apis {
  url: string
  process: ChildProcess
  /** Returns all output so far. */
  output(): string
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>
}

/** Runs a command that ends by itself. */
export async function runCommand(args: string[], env: Record<string, string> = {}) {
  const { process, output } = launch(args, env)
  const [code] = await once(process, 'close')
  return { code: code as number | null, output: output() }
}

/** Starts a serving command on a free port and waits until it is ready. */
export async function startService(env: Record<string, string>, command = 'start'): Promise<Service> {
  return ready(launch([command], { PORT: '0', LOG_LEVEL: 'warn', ...env }))
}

/** Starts it by `npm start`: the process is npm's. */
export const startByNpm = (env: Record<string, string>) =>
  ready(watch('npm', ['start'], { PORT: '0', LOG_LEVEL: 'warn', ...env }))

async function ready({ process, output }: ReturnType<typeof launch>): Promise<Service> {
  while (!output().includes(' is ready (')) {
    if (process.exitCode !== null) throw new Error(`It ended (${process.exitCode}):\n${output()}`)
    await Promise.race([once(process.stdout!, 'data'), once(process, 'close')])
  }
  const url = /API reference +(\S+)\/docs/.exec(output())?.[1] ?? '' // undefined for a worker
  return {
    url,
    process,
    output,
    ...apisAt(url),
    async stop() {
      const ended = process.exitCode === null && process.signalCode === null ? once(process, 'close') : undefined
      process.kill('SIGTERM')
      await ended
      return process.exitCode
    },
  }
}

export const apisAt = (url: string): Apis => ({
  central: (token) => caller(`${url}/api/central/v1`, token),
  tenant: (token) => caller(`${url}/api/tenant/v1`, token),
})

export const launch = (args: string[], env: Record<string, string>) =>
  watch(process.execPath, [join(root, 'src/main.ts'), ...args], env)

/** Inherits only the locations of programs and the compile cache from this run's environment. */
function watch(program: string, args: string[], env: Record<string, string>) {
  const { PATH = '', HOME = '', TMPDIR = tmpdir(), NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(program, args, {
    cwd: root,
    env: { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...wallClockEnvironment(), ...env },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void (text += chunk))
  return { process: child as ChildProcess, output: () => text }
}

const caller =
  (base: string, token?: string): Call =>
  async (path, body) => {
    const reply = await fetch(base + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    return { status: reply.status, body: await reply.json() }
  }

/** Returns a private folder for a DATA_DIR that doesn't exist yet. */
export function privateFolder() {
  const parent = mkdtempSync(join(tmpdir(), 'atrium-process-'))
  const dataDir = join(parent, 'data')
  return {
    dataDir,
    /** Also stops what a failed test has left there. */
    async remove() {
      if (postmasterOf(dataDir)) await (await startEmbedded({ dataDir })).stop()
      rmSync(parent, { recursive: true, force: true })
    },
  }
}

/** Returns the process id of a folder's embedded PostgreSQL, if running. */
export function postmasterOf(dataDir: string): number | undefined {
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined
}

/** Kills a service and its PostgreSQL with SIGKILL. Backends notice the postmaster's end within moments. */
export async function killAll(service: Service, dataDir: string) {
  const ended = once(service.process, 'close')
  service.process.kill('SIGKILL')
  process.kill(postmasterOf(dataDir)!, 'SIGKILL')
  await ended
}

/** Creates a workspace with some modules through the platform's API; returns a client of its owner. */
export async function workspaceOn(service: Apis, modules: string[]): Promise<Call> {
  const signedIn = await service.central()('/auth/login', { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD })
  const admin = service.central(signedIn.body.data.token)
  const owner = { owner_name: 'Olive Owner', owner_email: 'olive@example.com', owner_password: 'a good passphrase' }
  const { id, slug } = (await admin('/tenants', { company_name: 'Example', email: 'office@example.com', ...owner })).body.data
  await admin(`/tenants/${id}/verify-owner`, {})
  const catalogue: { id: number; key: string }[] = (await admin('/modules?per_page=100')).body.data
  for (const key of modules)
    await admin(`/tenants/${id}/modules`, { module_id: catalogue.find((module) => module.key === key)!.id })
  return service.tenant(await ownersToken(service, slug))
}

/** Signs in the workspace's owner and returns the token. */
export async function ownersToken(service: Apis, workspace = 'example'): Promise<string> {
  const login = { email: 'olive@example.com', password: 'a good passphrase', workspace }
  return (await service.tenant()('/auth/login', login)).body.data.token
}
