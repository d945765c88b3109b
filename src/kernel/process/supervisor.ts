/** Supervisor of several processes on one machine: starts, watches and replaces those that share its port. */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Config, makeDataDir } from '../config.ts'
import { withClient } from '../database/client.ts'
import { startEmbedded } from '../database/embedded.ts'
import { startReadable } from './figures.ts'
import { logTo } from './log.ts'

/** Message of a process that is ready. */
export interface Ready {
  /** Absent for a worker. */
  port?: number
  setUpToken?: string
}

/** Running processes of the service. */
export interface Supervisor {
  /** Message of the first process. */
  ready: Ready
  /**
   * Restarts each process with the current code, one after the other: an old process is stopped when its successor is ready. If a
   * successor fails to start, the remaining ones stay. A call during a replacement runs after it.
   */
  replaceAll(): Promise<void>
  /** Stops all processes after their running work, then the embedded database. */
  stop(): Promise<void>
}

/** Connections of a process outside its pool: three for the queue, one that listens. */
const BESIDE_POOL = 4
/** Connections reserved for commands, backups and manual access. */
const LEFT_OVER = 10
/** Connections that PostgreSQL reserves for superusers. */
const RESERVED = 3
/**
 * Delay before a process that ended is restarted, in milliseconds. It doubles each time, until a process has lived for a while.
 */
const RETRY = { first: 250, most: 30_000, forgottenAfter: 60_000 }

/**
 * Starts WEB_CONCURRENCY processes of this command. The first one migrates the database while the others wait. Throws if one
 * doesn't start. Processes that end later are restarted.
 */
export async function supervise(config: Config): Promise<Supervisor> {
  makeDataDir(config.DATA_DIR)
  const log = logTo(config.LOG_LEVEL)
  const count = config.WEB_CONCURRENCY
  const wanted = (count + 1) * (config.DATABASE_POOL_SIZE + BESIDE_POOL) + LEFT_OVER
  const settings = { max_connections: String(Math.max(60, wanted + RESERVED)) }
  const embedded = config.DATABASE_URL ? undefined : await startEmbedded({ dataDir: config.DATA_DIR, settings })
  const [, main = '', ...args] = process.argv // the path as given: a symbolic link to the release may point to a newer one later
  // Must precede `setupPrimary`, which freezes it. Each process accepts connections itself: a connection handed over to a process
  // killed at that moment would hang for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({ exec: main, args, cwd: resolve(main, '../..') })
  const slots: (Worker | undefined)[] = Array.from({ length: count })
  const failures = slots.map(() => 0)
  const stopping = new AbortController()
  startReadable(() => slots.filter((worker) => worker !== undefined))

  async function stop() {
    stopping.abort()
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && end(worker)))
    await turn.catch(() => {})
    await embedded?.stop()
  }

  /** Serialises process starts, so that no slot is filled twice. */
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>) => {
    const mine = turn.catch(() => {}).then(work)
    turn = mine.catch(() => {})
    return mine
  }

  let env: Record<string, string>
  async function fill(slot: number): Promise<Ready> {
    if (stopping.signal.aborted) throw new Error('It is being stopped.')
    const began = performance.now()
    const worker = cluster.fork(env)
    const ready = await toldBy(worker)
    slots[slot] = worker
    worker.once('exit', (code, signal) => {
      if (slots[slot] !== worker) return // it was replaced
      slots[slot] = undefined
      if (stopping.signal.aborted) return
      if (performance.now() - began > RETRY.forgottenAfter) failures[slot] = 0
      log.error({ pid: worker.process.pid, code, signal }, 'a process ended and is started again')
      void refill(slot)
    })
    return ready
  }

  /** Retries until the slot is filled. */
  async function refill(slot: number): Promise<void> {
    const pause = Math.min(RETRY.most, RETRY.first * 2 ** failures[slot]!++)
    try {
      await sleep(pause, undefined, { signal: stopping.signal })
      await inTurn(async () => void (slots[slot] ?? (await fill(slot))))
    } catch (error) {
      if (stopping.signal.aborted) return
      log.error({ err: error }, 'a process did not start and is tried again')
      await refill(slot)
    }
  }

  try {
    env = {
      DATA_DIR: config.DATA_DIR, // it may be relative to this process's working directory
      DATABASE_POOL_SIZE: String(await poolSizeOf(config, log, embedded?.url)),
    }
    const ready = await inTurn(() => fill(0))
    await inTurn(() => Promise.all(slots.map((worker, slot) => (worker ? undefined : fill(slot)))))
    return {
      ready,
      stop,
      replaceAll: () =>
        inTurn(async () => {
          log.info({ processes: count }, 'all processes are replaced')
          for (const [slot, former] of [...slots.entries()]) {
            await fill(slot)
            if (former) await end(former)
          }
          log.info({ processes: count }, 'all processes were replaced')
        }),
    }
  } catch (error) {
    await stop().catch(() => {}) // the start's error is reported
    throw error
  }
}

/**
 * Returns DATABASE_POOL_SIZE, reduced if all processes and the extra one during a replacement could together exceed the
 * database's connection limit. With a pooler in between, the pooler handles the limit.
 */
async function poolSizeOf(config: Config, log: Logger, url = config.DATABASE_URL!) {
  const { WEB_CONCURRENCY: count, DATABASE_POOL_SIZE: wanted } = config
  if (config.DATABASE_DIRECT_URL) return wanted
  const { rows } = await withClient(url, (client) =>
    client.query<{ most: number }>(
      `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true), '0')::int AS most`,
    ),
  )
  const { most } = rows[0]!
  const fits = Math.floor((most - LEFT_OVER) / (count + 1)) - BESIDE_POOL
  if (fits < 2)
    throw new Error(
      `WEB_CONCURRENCY: ${count} processes need more than the ${most} connections that the database allows (max_connections).`,
    )
  if (fits < wanted) log.warn({ processes: count, max_connections: most, pool_size: fits }, 'DATABASE_POOL_SIZE is lowered')
  return Math.min(wanted, fits)
}

/** Resolves with the process's ready message. Rejects if the process ends before it. */
function toldBy(worker: Worker) {
  return new Promise<Ready>((tell, fail) => {
    const listen = (message: { ready?: Ready }) => {
      if (!message.ready) return
      worker.off('message', listen)
      tell(message.ready)
    }
    worker.on('message', listen)
    worker.once('exit', (code, signal) => fail(new Error(`A process did not start (${signal ?? `exit code ${code}`}).`)))
  })
}

async function end(worker: Worker) {
  if (worker.isDead()) return
  const ended = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  await ended
}
