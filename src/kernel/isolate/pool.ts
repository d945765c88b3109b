/** A few child processes behind a bounded queue that serves workspaces in turn. */
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
  /** Who has waited for so long is refused. Default: whoever has a place in the queue gets their turn. */
  maxWaitSeconds?: number
  /** A child that takes more than this between two requests is replaced. */
  megabytesBetween: number
  /** A child that had nothing to do for so long ends. Default: it stays. */
  idleSeconds?: number
  /** Called when a request leaves the queue; what it gives is called when the request is done. */
  startTimer?(): () => void
}

export interface Pool<Request, Reply extends object> {
  /** What became of a request; undefined where it was refused, because too many wait. `caller` is the workspace whose turn it takes. */
  run(caller: number, request: Request, limits: Limits): Promise<Reply | Death | undefined>
  readonly waiting: number
  readonly busy: number
  /** Finishes what was asked for, then ends the children. */
  stop(): Promise<void>
}

/** A child is replaced after so many requests: libraries leak a little with each. */
const MAX_REQUESTS = 1000

interface Waiting<Request, Reply> extends PromiseWithResolvers<Reply | Death | undefined> {
  request: Request
  limits: Limits
  timer?: NodeJS.Timeout
  refused?: true
}

export function childPool<Request, Reply extends object>(options: PoolOptions): Pool<Request, Reply> {
  const queue = fairQueue<Waiting<Request, Reply>>({ most: options.queue, mostOfOne: options.queuePerWorkspace })
  const idle: { child: Child<Request, Reply>; timer: NodeJS.Timeout | undefined }[] = []
  const atWork = new Set<Promise<void>>()
  let stopping = false

  const start = () => startChild<Request, Reply>(options.program, options)

  /** Requests under way, by caller. One has all processes but one at most, so that others need not wait until a slow request ends. */
  const busyFor = new Map<number, number>()
  const mostOfOne = Math.max(1, options.processes - 1)
  const count = (caller: number, n: 1 | -1) => busyFor.set(caller, (busyFor.get(caller) ?? 0) + n)

  function work() {
    while (atWork.size < options.processes) {
      const next = queue.next((caller) => (busyFor.get(caller) ?? 0) < mostOfOne)
      if (!next) return
      const { caller, item } = next
      clearTimeout(item.timer)
      if (item.refused) continue
      count(caller, 1)
      const working = serve(item).catch(item.reject)
      atWork.add(working)
      working.finally(() => {
        atWork.delete(working)
        if (count(caller, -1).get(caller) === 0) busyFor.delete(caller)
        work()
      })
    }
  }

  function refuse(waiting: Waiting<Request, Reply>) {
    waiting.refused = true
    waiting.resolve(undefined)
  }

  async function serve({ request, limits, resolve }: Waiting<Request, Reply>) {
    const timed = options.startTimer?.()
    let child = takeIdle() ?? start()
    let outcome = await child.ask(request, limits)
    if ('died' in outcome && outcome.died !== 'timed_out' && child.asked > 1) {
      child = start() // what a used process may owe to earlier requests is judged by a fresh one
      outcome = await child.ask(request, limits)
    }
    timed?.()
    resolve(outcome)
    await giveBack(child)
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
    run(caller, request, limits) {
      const waiting: Waiting<Request, Reply> = { request, limits, ...Promise.withResolvers<Reply | Death | undefined>() }
      if (stopping || !queue.add(caller, waiting)) return Promise.resolve(undefined)
      if (options.maxWaitSeconds) waiting.timer = setTimeout(() => refuse(waiting), options.maxWaitSeconds * 1000)
      work()
      return waiting.promise
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
