/** Several processes of one machine: one that starts, watches and replaces the others, which share its port. */
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

/** What a process tells when it serves. */
export interface Ready {
  /** None: a worker. */
  port?: number
  setUpToken?: string
}

export interface Supervisor {
  /** What the first process told. */
  ready: Ready
  /**
   * Starts each process anew, from the code that is there now, one after the other: the next one is stopped when its successor serves. Where
   * that doesn't start, those that are left stay. Called again meanwhile, it does it once more afterwards.
   */
  replaceAll(): Promise<void>
  /** Lets all of them end what is under way, then stops the embedded database. */
  stop(): Promise<void>
}

/** Connections of a process beside its pool: three of the queue, one that listens. */
const BESIDE_POOL = 4
/** Left for commands, backups and whoever looks into the database. */
const LEFT_OVER = 10
/** What PostgreSQL keeps for superusers. */
const RESERVED = 3
/** Milliseconds until a process that ended is started again: doubled each time, until one has lived for a while. */
const RETRY = { first: 250, most: 30_000, forgottenAfter: 60_000 }

/**
 * Starts as many processes of this same command as WEB_CONCURRENCY says. The first one brings the database up to date while the others wait.
 * Throws when one doesn't start; later ones that end are started again.
 */
export async function supervise(config: Config): Promise<Supervisor> {
  makeDataDir(config.DATA_DIR)
  const log = logTo(config.LOG_LEVEL)
  const count = config.WEB_CONCURRENCY
  const wanted = (count + 1) * (config.DATABASE_POOL_SIZE + BESIDE_POOL) + LEFT_OVER
  const settings = { max_connections: String(Math.max(60, wanted + RESERVED)) }
  const embedded = config.DATABASE_URL ? undefined : await startEmbedded({ dataDir: config.DATA_DIR, settings })
  const [, main = '', ...args] = process.argv // the path as it was given: a link to the release may lead to a newer one later
  // Before the set-up, which freezes it. Each takes connections by itself: one that is handed over to a process that was killed just then would hang for ever.
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

  /** What starts processes takes turns, so that no place is filled twice. */
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

  /** Tries until the place is filled. */
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
      DATA_DIR: config.DATA_DIR, // it may be relative to where this one was started
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
    await stop().catch(() => {}) // its own failure is the error
    throw error
  }
}

/**
 * DATABASE_POOL_SIZE, less where all processes, and the one more that there is while they are replaced, could together open more
 * connections than the database allows. Behind a pooler the pooler knows.
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

/** Throws when it ends before it serves. */
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
