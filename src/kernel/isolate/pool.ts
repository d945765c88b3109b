/**
 * A few child processes that serve next the workspace that used least of their time lately. Each request begins in a lane for short ones. What
 * doesn't end there soon is ended and begins again in a lane for long ones, which never has all processes: a short request waits for no
 * long one.
 */
import QuickLRU from 'quick-lru'
import { usageMeter } from '../fair-share.ts'
import { type Child, type Death, type Limits, startChild } from './child.ts'
import { fairQueue } from './fair-queue.ts'

export interface PoolOptions {
  /** The module that a child runs: it calls `serveParent`. */
  program: URL
  execArgv?: string[]
  /** How far children give way to other processes: 0 (default) to 19. */
  nice?: number
  /** Children at once; each is started when first needed. */
  processes: number
  /** Requests that may wait, of all workspaces and of one. */
  queue: number
  queuePerWorkspace: number
  /** Time after which a waiting request is refused. Default: each one in the queue is served. */
  maxWaitSeconds?: number
  /** A child that takes more than this between two requests is replaced. */
  megabytesBetween: number
  /** A child that had nothing to do for so long ends. Default: it stays. */
  idleSeconds?: number
  /** CPU time of a request in the lane for short ones. Default: 1. */
  shortSeconds?: number
  /** Monotonic clock in milliseconds, by which callers are charged for waiting and what they used is forgotten. Default: `performance.now`. */
  now?: () => number
  /** Called when a request leaves the queue; what it gives is called when the request is done. */
  startTimer?(): () => void
}

export interface Pool<Request, Reply extends object> {
  /**
   * Returns the outcome of a request; undefined where it was refused, because too many wait. `caller` is the workspace that is charged for it,
   * `kind` the work: where a workspace's last requests of a kind were long, the next one begins in the lane for long ones.
   */
  run(caller: number, request: Request, limits: Limits, kind?: string): Promise<Reply | Death | undefined>
  readonly waiting: number
  readonly busy: number
  /** Finishes what was asked for, then ends the children. */
  stop(): Promise<void>
}

/** A child is replaced after so many requests: libraries leak a little with each. */
const MAX_REQUESTS = 1000

/** CPU time in the lane for short requests. With the start of a new process it is what others wait for one: less than two seconds. */
const SHORT_SECONDS = 1
/** Time by the clock there: beyond it a request leaves the lane, whatever it waits for. */
const SHORT_WALL_SECONDS = 6
/** Requests of a kind that were long one after the other, until the next one begins in the lane for long ones. */
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

/** Time by the clock in which a request that uses no CPU time is charged one part. */
const WAITING_SHARE = 6

/** A job under way, all in milliseconds. */
interface Progress<Request, Reply> {
  began: number
  /** CPU time that it used in an earlier process. */
  before: number
  /** Time that its caller was charged for. */
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
  /** Long requests in a row, by caller and kind. */
  const longInARow = new QuickLRU<string, number>(KINDS)
  let stopping = false

  const start = () => startChild<Request, Reply>(options.program, options)

  /** Processes that one lane may have, and one caller in it: all but one, so that others need not wait until a slow request ends. */
  const mostLong = Math.max(1, processes - 1)
  const mostOfOne: Record<Lane, number> = { short: mostLong, long: Math.max(1, processes - 2) }

  function mayRun(caller: number, { lane }: Job<Request, Reply>): boolean {
    const same = [...underWay.keys()].filter((job) => job.lane === lane)
    if (lane === 'long' && same.length >= mostLong) return false
    return same.filter((job) => job.caller === caller).length < mostOfOne[lane]
  }

  /**
   * Charges callers for their work under way, so that nobody looks cheap while it goes on. CPU time counts, which a busy machine doesn't change;
   * of a request that waits for something else a part of its time by the clock.
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

  /** Of a pool with one process all requests share it: there is one lane. */
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
      child = progress.child = start() // a used process may have crashed by earlier requests, which a fresh one has not
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
