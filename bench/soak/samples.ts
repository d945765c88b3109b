/** What a process that runs for months must not gather, looked at every few seconds. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { memoryOf, residentOf, type Server } from '../servers.ts'

/** One look. */
export interface Sample {
  /** Since the beginning, in seconds. */
  at: number
  figures: Record<Watched, number>
}

export type Watched =
  | 'node'
  | 'heap'
  | 'children'
  | 'postgres'
  | 'files open'
  | 'connections'
  | 'jobs waiting'
  | 'oldest job'
  | 'jobs given up'
  | 'data'
  | 'log of changes'

const MB = 1024 * 1024

export async function look(atrium: Server, dataDir: string): Promise<Record<Watched, number>> {
  const text = await (await fetch(`${atrium.base}/metrics`)).text()
  /** The values of a metric, of all its labels that are named. */
  const valuesOf = (name: string, labels = '') =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*${labels}[^}]*\\})? (\\S+)$`, 'gm'))].map(([, value]) => Number(value))
  const sum = (values: number[]) => values.reduce((total, one) => total + one, 0)
  const { own, children } = residentOf(atrium)
  const log = sizeOf(join(dataDir, 'postgres/pg_wal'))
  return {
    node: own,
    heap: sum(valuesOf('nodejs_heap_size_used_bytes')) / MB,
    children,
    postgres: memoryOf(atrium, dataDir).postgres,
    'files open': sum(valuesOf('process_open_fds')),
    connections: sum(valuesOf('database_connections', 'state="open"')),
    'jobs waiting': sum(valuesOf('jobs_waiting')),
    'oldest job': Math.max(0, ...valuesOf('jobs_oldest_waiting_seconds')),
    'jobs given up': sum(valuesOf('jobs_dead')),
    data: sizeOf(dataDir) - log,
    'log of changes': log,
  }
}

/** Megabytes of what lies in a folder. Files may go while it is looked at. */
function sizeOf(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  return bytes / MB
}
