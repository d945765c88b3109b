/**
 * Runs pure functions on untrusted input (mail bodies, office files) in child processes, under limits of time and memory. A child
 * has no environment and no network, and reads only the service's code. Whatever an input does to a parser affects only its own
 * request.
 */
import type { Logger } from 'pino'
import { Counter, type Metric } from 'prom-client'
import { unavailable } from '../errors.ts'
import type { Death, Limits } from './child.ts'
import { permissionFlags } from './permissions.ts'
import { childPool } from './pool.ts'
import { unreadableInputs } from './unreadable-inputs.ts'

/** Message with a call, as sent to the child. */
export interface Call {
  /** URL of the module. */
  module: string
  /** Name of the module's export. */
  name: string
  input: unknown
}
/** Reply of the child: the function's result, or the message of its error. */
export type Returned = { returned: unknown } | { threw: string }

/** Deaths that a busy machine may cause. The same call may succeed later. */
const RETRYABLE = ['not_started', 'starved'] as const
type Retryable = (typeof RETRYABLE)[number]
const isRetryable = (reason: Death['died']): reason is Retryable => RETRYABLE.includes(reason as Retryable)

/** The function's process died or was killed because of its input. */
export class IsolationError extends Error {
  readonly reason: Exclude<Death['died'], Retryable>
  constructor(reason: Exclude<Death['died'], Retryable>, why: string) {
    super(`An isolated function ${reason.replaceAll('_', ' ')}: ${why}`)
    this.reason = reason
  }
}

/** Returns whether a call failed because of its input, so that a retry would fail too. */
export const isBeyondReading = (error: unknown) => error instanceof IsolationError

/** Child processes for isolated functions, with their queue. */
export interface Isolation {
  run(workspace: number, call: Call, limits: Limits): Promise<unknown>
  metrics: Metric[]
  stop(): Promise<void>
}

const PROCESSES = 2
/** Niceness of children: two busy ones leave little of a machine with two processors. */
const NICE = 10
const MAX_WAITING = 100
const MAX_WAITING_OF_ONE = 10
const MAX_WAIT_SECONDS = 30
const MB_BETWEEN = 200
/** An idle child uses about 60 MB. */
const IDLE_SECONDS = 30
/** V8's heap limit. The watched resident memory is lower and ends the process first. */
const HEAP_MB = 1024

/**
 * CPU time from which a crash is remembered. An earlier crash may have another cause than the input, such as a lack of memory.
 */
const CRASH_CPU_SECONDS = 1

const busy = () => unavailable('Too many texts are waiting to be read. Try again in a few seconds.', { code: 'READER_BUSY' })

export interface IsolationOptions {
  /** Additional folders that children may read. Used for test functions. */
  alsoReadable?: string[]
}

/** Returns a pool of child processes for isolated functions, with metrics. */
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
 * Returns a caller of function `f` in a child process: `isolated<typeof f>(import.meta.resolve('./its-module.ts'), 'f', {
 * seconds: 5, megabytes: 256 })`, with `f` imported as a type. `f` takes one argument; argument and result must be cloneable.
 * `seconds` are CPU time. Throws an IsolationError if its process died, and at once for the same input within an hour. Throws a
 * 503 if too many calls wait or the machine is too busy. If the function threw, throws an Error with its message.
 */
export const isolated =
  <F extends (input: any) => unknown>(module: string, name: string, limits: Limits) =>
  (services: { isolation: Isolation }, workspace: number, input: Parameters<F>[0]) =>
    services.isolation.run(workspace, { module, name, input }, limits) as Promise<Awaited<ReturnType<F>>>
