/** A running PostgreSQL server of a cluster folder: finding it, connecting, waiting until it is ready, shutting it down. */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startOf, unless } from './ownership.ts'

/** Timeout of every step in milliseconds: crash recovery can be slow. */
export const MAX_WAIT = 60_000

export interface Postmaster {
  pid: number
  start: string
  socketDir: string
}

/** Returns the living server of this cluster. The command line is compared, because pids of killed servers are reused. */
export function findPostmaster(cluster: string): Postmaster | undefined {
  let lines: string[] = []
  if (!unless('ENOENT', () => (lines = fs.readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n'))))
    return undefined
  const pid = Number(lines[0])
  const start = startOf(pid)
  if (start === undefined) return undefined
  if (start !== '' && !commandLine(pid).includes(cluster)) return undefined
  return { pid, start, socketDir: lines[4] ?? '' }
}

function commandLine(pid: number): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** Returns the URLs of the server whose socket is in this folder: see EmbeddedServer. */
export function urlsOf(socketDir: string) {
  // The port is explicit, because pg would otherwise use PGPORT from the environment.
  const of = (name: string, database: string) =>
    `postgresql://${name}@localhost:5432/${database}?host=${encodeURIComponent(socketDir)}`
  return { url: of('atrium', 'atrium'), superuserUrl: of('postgres', 'atrium'), adminUrl: of('postgres', 'postgres') }
}

/** Returns the error of a connection attempt; undefined if it succeeded. */
export async function tryConnect(connectionString: string): Promise<Error | undefined> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return undefined
  } catch (error) {
    return error as Error
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Waits until the server accepts connections. Returns the last error if it ended or the time is over; undefined if it is ready.
 */
export async function waitReady(
  server: Postmaster,
  time: number,
  ended = () => startOf(server.pid) !== server.start,
): Promise<Error | undefined> {
  const deadline = performance.now() + time
  for (;;) {
    const failure = await tryConnect(urlsOf(server.socketDir).adminUrl)
    if (!failure || ended() || performance.now() > deadline) return failure
    await sleep(25)
  }
}

/** Fast shutdown: open transactions are rolled back, the rest is written to disk. Immediate shutdown if that takes a minute. */
export async function shutDown(server: Postmaster): Promise<void> {
  const deadline = performance.now() + MAX_WAIT
  for (let signal: NodeJS.Signals | 0 = 'SIGINT'; startOf(server.pid) === server.start; ) {
    if (signal) unless('ESRCH', () => process.kill(server.pid, signal))
    signal = performance.now() > deadline ? 'SIGQUIT' : 0
    await sleep(10)
  }
}
