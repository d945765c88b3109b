/** Samples what must not accumulate in a process that runs for months. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { memoryOf, residentOf, type Server } from '../servers.ts'

/** One sample. */
export interface Sample {
  /** Seconds since the beginning. */
  at: number
  figures: Record<Watched, number>
}

/** Sampled figures. */
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

/** Returns the current figures. */
export async function look(atrium: Server, dataDir: string): Promise<Record<Watched, number>> {
  const text = await (await fetch(`${atrium.base}/metrics`)).text()
  /** Returns a metric's values that match the labels. */
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

/** Returns a folder's size in megabytes. Files may disappear meanwhile. */
function sizeOf(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  return bytes / MB
}
