/**
 * Pool of child processes that serves the workspace with the least recent use next. Each request starts in a lane for short ones.
 * A request that doesn't finish there is stopped and restarted in a lane for long ones. That lane never has all processes, so a
 * short request never waits for a long one.
 */
import QuickLRU from 'quick-lru'
import { usageMeter } from '../fair-share.ts'
import { type Child, type Death, type Limits, startChild } from './child.ts'
import { fairQueue } from './fair-queue.ts'

export interface PoolOptions {
  /** Module that a child runs. It must call `serveParent`. */
  program: URL
  execArgv?: string[]
  /** Niceness of children, 0 (default) to 19. */
  nice?: number
  /** Maximum number of children. Each is started on demand. */
  processes: number
  /** Maximum number of waiting requests, of all workspaces and of one. */
  queue: number
  queuePerWorkspace: number
  /** Maximum time in the queue, in seconds. Default: unlimited. */
  maxWaitSeconds?: number
  /** A child that uses more memory than this between two requests is replaced. */
  megabytesBetween: number
  /** Time after which an idle child ends, in seconds. Default: it stays. */
  idleSeconds?: number
  /** Maximum CPU time of a request in the lane for short ones, in seconds. Default: 1. */
  shortSeconds?: number
  /** Monotonic clock in milliseconds, for charging waiting time and for the usage half-life. Default: `performance.now`. */
  now?: () => number
  /** Called when a request leaves the queue. The returned function is called when the request is done. */
  startTimer?(): () => void
}

export interface Pool<Request, Reply extends object> {
  /**
   * Runs a request and returns its outcome, or undefined if it was rejected because too many wait. `caller` is the workspace that
   * is charged. `kind` groups requests: after several long ones in a row, the next of the same caller and kind starts in the lane
   * for long ones.
   */
  run(caller: number, request: Request, limits: Limits, kind?: string): Promise<Reply | Death | undefined>
  readonly waiting: number
  readonly busy: number
  /** Finishes accepted requests, then ends the children. */
  stop(): Promise<void>
}

/** Requests after which a child is replaced, because libraries leak a little with each. */
const MAX_REQUESTS = 1000

/**
 * CPU time in the lane for short requests, in seconds. Together with the start of a process it is the longest wait for one: below
 * two seconds.
 */
const SHORT_SECONDS = 1
/** Wall time in that lane, in seconds. A request that exceeds it leaves the lane. */
const SHORT_WALL_SECONDS = 6
/** Consecutive long requests of a kind after which the next one starts in the lane for long ones. */
const LONG_IN_A_ROW = 2
const KINDS = { maxSize: 10_000, maxAge: 600_000 }

type Lane = 'short' | 'long'

interface Job<Request, Reply> extends PromiseWithResolvers<Reply | Death | undefined> {
  caller: number
  kind: string
  lane: Lane
  request: Request
  limits: Limits
  timer?: NodeJS.Timeout
}

/** Divisor of wall time: a request without CPU time is charged this part of it. */
const WAITING_SHARE = 6

/** Running job. All values in milliseconds. */
interface Progress<Request, Reply> {
  began: number
  /** CPU time used in an earlier process. */
  before: number
  /** Time charged to its caller so far. */
  charged: number
  child?: Child<Request, Reply>
}

export function childPool<Request, Reply extends object>(options: PoolOptions): Pool<Request, Reply> {
  const { processes, shortSeconds = SHORT_SECONDS, now = () => performance.now() } = options
  const meter = usageMeter({ now })
  const queue = fairQueue<Job<Request, Reply>>({ most: options.queue, mostOfOne: options.queuePerWorkspace, meter })
  const idle: { child: Child<Request, Reply>; timer: NodeJS.Timeout | undefined }[] = []
  const atWork = new Set<Promise<void>>()
  const underWay = new Map<Job<Request, Reply>, Progress<Request, Reply>>()
  /** Consecutive long requests, by caller and kind. */
  const longInARow = new QuickLRU<string, number>(KINDS)
  let stopping = false

  const start = () => startChild<Request, Reply>(options.program, options)

  /** Maximum number of processes of a lane, and of one caller in it. One process always remains for others. */
  const mostLong = Math.max(1, processes - 1)
  const mostOfOne: Record<Lane, number> = { short: mostLong, long: Math.max(1, processes - 2) }

  function mayRun(caller: number, { lane }: Job<Request, Reply>): boolean {
    const same = [...underWay.keys()].filter((job) => job.lane === lane)
    if (lane === 'long' && same.length >= mostLong) return false
    return same.filter((job) => job.caller === caller).length < mostOfOne[lane]
  }

  /**
   * Charges callers for running work, so that none looks cheap meanwhile. CPU time counts, because load on the machine doesn't
   * change it. A request that waits for something else is charged a part of its wall time.
   */
  function chargeUnderWay() {
    for (const [{ caller }, progress] of underWay) {
      const cpu = progress.before + (progress.child?.cpuSeconds ?? 0) * 1000
      const used = Math.max(cpu, (now() - progress.began) / WAITING_SHARE)
      meter.charge(caller, used - progress.charged)
      progress.charged = used
    }
  }

  function work() {
    while (atWork.size < processes) {
      chargeUnderWay()
      const next = queue.next(mayRun)
      if (!next) return
      const job = next.item
      clearTimeout(job.timer)
      const progress = { began: now(), before: 0, charged: 0 }
      underWay.set(job, progress)
      const working = serve(job, progress).catch(job.reject)
      atWork.add(working)
      working.finally(() => {
        chargeUnderWay()
        underWay.delete(job)
        atWork.delete(working)
        work()
      })
    }
  }

  function wait(job: Job<Request, Reply>) {
    if (!options.maxWaitSeconds) return
    job.timer = setTimeout(() => {
      queue.remove(job.caller, job)
      job.resolve(undefined)
    }, options.maxWaitSeconds * 1000)
  }

  function refuse(job: Job<Request, Reply>) {
    clearTimeout(job.timer)
    job.resolve(undefined)
  }

  const keyOf = ({ caller, kind }: Pick<Job<Request, Reply>, 'caller' | 'kind'>) => `${caller} ${kind}`

  /** A pool with one process has a single lane. */
  const laneOf = (caller: number, kind: string, { seconds }: Limits): Lane =>
    processes === 1 || (seconds > shortSeconds && (longInARow.get(keyOf({ caller, kind })) ?? 0) >= LONG_IN_A_ROW)
      ? 'long'
      : 'short'

  async function serve(job: Job<Request, Reply>, progress: Progress<Request, Reply>) {
    const { lane, limits } = job
    const timed = options.startTimer?.()
    const isShort = lane === 'short' && limits.seconds > shortSeconds
    const within = isShort ? { ...limits, seconds: shortSeconds, wallSeconds: SHORT_WALL_SECONDS } : limits
    let child = (progress.child = takeIdle() ?? start())
    let outcome = await child.ask(job.request, within)
    if (isFault(outcome) && child.asked > 1) {
      progress.before += child.cpuSeconds * 1000
      child = progress.child = start() // earlier requests may have damaged a used process; a fresh one rules that out
      outcome = await child.ask(job.request, within)
    }
    timed?.()
    if (isShort && isLate(outcome)) beginAgain(job)
    else {
      if (child.cpuSeconds < shortSeconds) longInARow.delete(keyOf(job))
      job.resolve(outcome)
    }
    await giveBack(child)
  }

  const isLate = (outcome: Reply | Death) => 'died' in outcome && (outcome.died === 'timed_out' || outcome.died === 'starved')
  const isFault = (outcome: Reply | Death) => 'died' in outcome && !isLate(outcome)

  function beginAgain(job: Job<Request, Reply>) {
    longInARow.set(keyOf(job), (longInARow.get(keyOf(job)) ?? 0) + 1)
    const again = { ...job, lane: 'long' as const }
    queue.putBack(job.caller, again)
    wait(again)
  }

  function takeIdle() {
    for (let one = idle.pop(); one; one = idle.pop()) {
      clearTimeout(one.timer)
      if (!one.child.ended) return one.child
    }
    return undefined
  }

  async function giveBack(child: Child<Request, Reply>) {
    const used = stopping || child.asked >= MAX_REQUESTS || (await child.megabytes()) > options.megabytesBetween
    if (used) return child.end()
    if (child.ended) return
    const timer = options.idleSeconds ? setTimeout(() => void endIdle(child), options.idleSeconds * 1000).unref() : undefined
    idle.push({ child, timer })
  }

  function endIdle(child: Child<Request, Reply>) {
    const at = idle.findIndex((one) => one.child === child)
    if (at < 0) return
    idle.splice(at, 1)
    return child.end()
  }

  return {
    get waiting() {
      return queue.length
    },
    get busy() {
      return atWork.size
    },
    run(caller, request, limits, kind = '') {
      const lane = laneOf(caller, kind, limits)
      const job: Job<Request, Reply> = {
        ...{ caller, kind, lane, request, limits },
        ...Promise.withResolvers<Reply | Death | undefined>(),
      }
      if (stopping) return Promise.resolve(undefined)
      wait(job)
      const displaced = queue.add(caller, job)
      if (displaced) refuse(displaced)
      work()
      return job.promise
    },
    async stop() {
      stopping = true
      while (atWork.size) await Promise.all(atWork)
      await Promise.all(
        idle.splice(0).map(({ child, timer }) => {
          clearTimeout(timer)
          return child.end()
        }),
      )
    },
  }
}
