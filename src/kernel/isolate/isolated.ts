/**
 * Pure functions that run in a child process under limits of time and memory, because what they read was written by strangers: bodies
 * of mails, office files. The child has no environment, no network, and reads nothing but the service's code; whatever a text does to
 * a parser there, it costs only whoever asked for it.
 */
import { join } from 'node:path'
import type { Logger } from 'pino'
import { Counter, type Metric } from 'prom-client'
import { unavailable } from '../errors.ts'
import type { Death, Limits } from './child.ts'
import { childPool } from './pool.ts'

/** A call as the child gets it. */
export interface Call {
  /** URL of the module. */
  module: string
  /** What the module exports. */
  name: string
  input: unknown
}
export type Returned = { returned: unknown } | { threw: string }

/** The function ended its process, or had to be ended: its input is more than can be read. */
export class IsolationError extends Error {
  readonly reason: Death['died']
  constructor(reason: Death['died'], why: string) {
    super(`An isolated function ${reason.replaceAll('_', ' ')}: ${why}`)
    this.reason = reason
  }
}

/** Whether a call ended because of its input: it would end so again. */
export const isBeyondReading = (error: unknown) => error instanceof IsolationError && error.reason !== 'not_started'

export interface Isolation {
  run(workspace: number, call: Call, limits: Limits): Promise<unknown>
  metrics: Metric[]
  stop(): Promise<void>
}

const PROCESSES = 2
/** Two busy children leave others little of a machine with two processors. */
const NICE = 10
const MAX_WAITING = 100
const MAX_WAITING_OF_ONE = 10
const MAX_WAIT_SECONDS = 30
const MB_BETWEEN = 200
/** An idle child holds some 60 MB. */
const IDLE_SECONDS = 30
/** V8's heap. The watched memory is less, and ends the process before. */
const HEAP_MB = 1024

const project = join(import.meta.dirname, '../../..')

export function isolationOf(log: Logger): Isolation {
  const pool = childPool<Call, Returned>({
    program: new URL('./isolated-child.ts', import.meta.url),
    // No files but the code, no network, no processes. A thread looks after the parent.
    execArgv: ['--permission', `--allow-fs-read=${project}`, '--allow-worker', `--max-old-space-size=${HEAP_MB}`],
    nice: NICE,
    processes: PROCESSES,
    queue: MAX_WAITING,
    queuePerWorkspace: MAX_WAITING_OF_ONE,
    maxWaitSeconds: MAX_WAIT_SECONDS,
    megabytesBetween: MB_BETWEEN,
    idleSeconds: IDLE_SECONDS,
  })
  const results = new Counter({
    name: 'isolated_calls_total',
    help: 'Calls of isolated functions, by what became of them',
    labelNames: ['function', 'result'],
    registers: [],
  })
  return {
    metrics: [results],
    async run(workspace, call, limits) {
      const outcome = await pool.run(workspace, call, limits)
      const result = !outcome ? 'refused' : 'died' in outcome ? outcome.died : 'threw' in outcome ? 'threw' : 'returned'
      results.inc({ function: call.name, result })
      if (!outcome)
        throw unavailable('Too many texts are waiting to be read. Try again in a few seconds.', { code: 'READER_BUSY' })
      if ('died' in outcome) {
        log.warn({ function: call.name, died: outcome.died, why: outcome.why.slice(0, 300) }, 'isolated function ended')
        throw new IsolationError(outcome.died, outcome.why)
      }
      if ('threw' in outcome) throw new Error(outcome.threw)
      return outcome.returned
    },
    stop: pool.stop,
  }
}

/**
 * A function `f` of a module, to be run in a child: `isolated<typeof f>(import.meta.resolve('./its-module.ts'), 'f', { seconds: 5, megabytes: 256 })`,
 * where `f` is imported as a type. It takes one argument and gives a value, both of which can be cloned. Throws an IsolationError where its process ended, a 503 where too
 * many calls wait, and an Error of its own message where it threw.
 */
export const isolated =
  <F extends (input: any) => unknown>(module: string, name: string, limits: Limits) =>
  (services: { isolation: Isolation }, workspace: number, input: Parameters<F>[0]) =>
    services.isolation.run(workspace, { module, name, input }, limits) as Promise<Awaited<ReturnType<F>>>
