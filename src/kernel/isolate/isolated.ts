/**
 * Pure functions that run in a child process under limits of time and memory, because what they read was written by strangers: bodies
 * of mails, office files. The child has no environment, no network, and reads nothing but the service's code; whatever a text does to
 * a parser there, it costs only whoever asked for it.
 */
import type { Logger } from 'pino'
import { Counter, type Metric } from 'prom-client'
import { unavailable } from '../errors.ts'
import type { Death, Limits } from './child.ts'
import { permissionFlags } from './permissions.ts'
import { childPool } from './pool.ts'
import { unreadableInputs } from './unreadable-inputs.ts'

/** A call as the child gets it. */
export interface Call {
  /** URL of the module. */
  module: string
  /** What the module exports. */
  name: string
  input: unknown
}
export type Returned = { returned: unknown } | { threw: string }

/** Deaths that a busy machine may cause: the same call may end well a moment later. */
const RETRYABLE = ['not_started', 'starved'] as const
type Retryable = (typeof RETRYABLE)[number]
const isRetryable = (reason: Death['died']): reason is Retryable => RETRYABLE.includes(reason as Retryable)

/** The function ended its process, or had to be ended: its input is more than can be read. */
export class IsolationError extends Error {
  readonly reason: Exclude<Death['died'], Retryable>
  constructor(reason: Exclude<Death['died'], Retryable>, why: string) {
    super(`An isolated function ${reason.replaceAll('_', ' ')}: ${why}`)
    this.reason = reason
  }
}

/** Whether a call ended because of its input: it would end so again. */
export const isBeyondReading = (error: unknown) => error instanceof IsolationError

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

/** CPU time from which a crash is remembered: an early one may have another cause than its input, such as a system without memory. */
const CRASH_CPU_SECONDS = 1

const busy = () => unavailable('Too many texts are waiting to be read. Try again in a few seconds.', { code: 'READER_BUSY' })

export interface IsolationOptions {
  /** Folders that children may read besides the service's code. Tests have functions of their own there. */
  alsoReadable?: string[]
}

export function isolationOf(log: Logger, { alsoReadable }: IsolationOptions = {}): Isolation {
  const pool = childPool<Call, Returned>({
    program: new URL('./isolated-child.ts', import.meta.url),
    execArgv: [...permissionFlags({ alsoReadable }), `--max-old-space-size=${HEAP_MB}`],
    nice: NICE,
    processes: PROCESSES,
    queue: MAX_WAITING,
    queuePerWorkspace: MAX_WAITING_OF_ONE,
    maxWaitSeconds: MAX_WAIT_SECONDS,
    megabytesBetween: MB_BETWEEN,
    idleSeconds: IDLE_SECONDS,
  })
  const unreadable = unreadableInputs<Call, IsolationError>()
  const results = new Counter({
    name: 'isolated_calls_total',
    help: 'Calls of isolated functions, by what became of them',
    labelNames: ['function', 'result'],
    registers: [],
  })
  return {
    metrics: [results],
    async run(workspace, call, limits) {
      const known = await unreadable.find(workspace, call)
      if (known) {
        results.inc({ function: call.name, result: 'remembered' })
        throw known
      }
      const outcome = await pool.run(workspace, call, limits, call.name)
      const result = !outcome ? 'refused' : 'died' in outcome ? outcome.died : 'threw' in outcome ? 'threw' : 'returned'
      results.inc({ function: call.name, result })
      if (!outcome) throw busy()
      if ('died' in outcome) {
        const { died, why, cpuSeconds } = outcome
        log.warn({ function: call.name, died, why: why.slice(0, 300), cpuSeconds }, 'isolated function ended')
        if (isRetryable(died)) throw busy()
        const error = new IsolationError(died, why)
        const isBySystem = died === 'crashed' && (why === 'SIGKILL' || cpuSeconds < CRASH_CPU_SECONDS)
        if (!isBySystem) await unreadable.add(workspace, call, error)
        throw error
      }
      if ('threw' in outcome) throw new Error(outcome.threw)
      return outcome.returned
    },
    stop: pool.stop,
  }
}

/**
 * A function `f` of a module, to be run in a child: `isolated<typeof f>(import.meta.resolve('./its-module.ts'), 'f', { seconds: 5, megabytes: 256 })`,
 * where `f` is imported as a type. It takes one argument and gives a value, both of which can be cloned. `seconds` are of CPU time. Throws an IsolationError where
 * its process ended, for an hour again at once for the same input; a 503 where too many calls wait, or the machine is too busy; an Error of its own message where it threw.
 */
export const isolated =
  <F extends (input: any) => unknown>(module: string, name: string, limits: Limits) =>
  (services: { isolation: Isolation }, workspace: number, input: Parameters<F>[0]) =>
    services.isolation.run(workspace, { module, name, input }, limits) as Promise<Awaited<ReturnType<F>>>
