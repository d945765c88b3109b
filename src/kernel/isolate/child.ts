/**
 * A child process that handles one request at a time under limits of time and memory. If the child dies, its death is the outcome
 * of the current request; the parent is never affected. The other end is `child-side.ts`.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { promisify } from 'node:util'

/** Reason why a child died during a request. */
export interface Death {
  /** `timed_out`: the request exceeded its CPU time. `starved`: it exceeded its wall time only. */
  died: 'not_started' | 'crashed' | 'timed_out' | 'starved' | 'out_of_memory'
  why: string
  /** CPU time of the request, in seconds. */
  cpuSeconds: number
}

/** Limits of a request. */
export interface Limits {
  /** Maximum CPU time of one request, in seconds. Load on the machine doesn't count. */
  seconds: number
  /** Maximum wall time of one request, in seconds. Default: `WALL_FACTOR` times the CPU time, at least `MIN_WALL_SECONDS`. */
  wallSeconds?: number
  /** Maximum resident memory of the process during a request. */
  megabytes: number
}

/** Seconds of wall time for each second of CPU time. */
const WALL_FACTOR = 6
const MIN_WALL_SECONDS = 60

export interface Child<Request, Reply> {
  /** Number of requests so far. */
  readonly asked: number
  /** CPU time of the current or the last request, in seconds. */
  readonly cpuSeconds: number
  /** Whether the child accepts no further requests. */
  readonly ended: boolean
  /** Sends a request. Only one at a time; never rejects. */
  ask(request: Request, limits: Limits): Promise<Reply | Death>
  /** Resident memory; 0 after the process has exited. */
  megabytes(): Promise<number>
  /** Ends the child, unless a request is running. */
  end(): Promise<void>
}

const WATCH_MS = 50
/** Loading code and fonts takes a tenth of a second on an idle machine. */
const START_SECONDS = 60

/**
 * Starts a process with an empty environment: it knows nothing of the server but its code. An idle child doesn't keep the server
 * running.
 */
export function startChild<Request, Reply extends object>(
  program: URL,
  { execArgv = [], nice }: { execArgv?: string[]; nice?: number } = {},
): Child<Request, Reply> {
  const forked = fork(program, { env: {}, execArgv, serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let said = ''
  let ended = false
  let asked = 0
  let cpuSeconds = 0
  // Callbacks of the current request. They are replaced after it: a callback attached to a lifelong promise such as `gone` would
  // stay in memory.
  let result: (reply: Reply) => void = () => {}
  let lost = () => {}
  let isGone = false
  const ready = Promise.withResolvers<void>()
  // The child process's `close` event doesn't fire after a disconnect. This waits for exit and for the end of stderr instead.
  const exited = Promise.withResolvers<void>()
  forked.once('exit', () => exited.resolve())
  forked.on('error', (error) => exited.resolve(void (said += error.message)))
  const gone = Promise.all([exited.promise, once(forked.stderr!, 'close')])
  gone.then(() => {
    ended = isGone = true
    lost()
  })
  forked.stderr!.on('data', (chunk: Buffer) => (said = (said + chunk).slice(-2000)))
  forked.on('message', (message) => (message === 'ready' ? ready.resolve() : result(message as Reply)))
  keepsAlive(forked, false)
  if (forked.pid && nice !== undefined) giveWay(forked.pid, nice)
  // When memory runs out, the system kills this process before the server.
  if (forked.pid) writeFile(`/proc/${forked.pid}/oom_score_adj`, '1000').catch(() => {}) // unsupported on this system
  const megabytes = () => residentMegabytes(forked.pid)

  async function ask(request: Request, limits: Limits): Promise<Reply | Death> {
    keepsAlive(forked, true)
    const outcome = Promise.withResolvers<Reply | Death>()
    let begun = false
    let usedBefore = 0
    cpuSeconds = 0
    const look = async () => void (cpuSeconds = Math.max(cpuSeconds, (await cpuSecondsOf(forked.pid)) - usedBefore))
    const end = (died: Death['died'], why: string) => outcome.resolve({ died, why, cpuSeconds })
    const kill = (died: Death['died'], why: string) => {
      end(died, why)
      forked.kill('SIGKILL')
    }
    let late = setTimeout(() => kill('not_started', `not ready in ${START_SECONDS} s`), START_SECONDS * 1000)
    const watch = setInterval(async () => {
      const [size] = await Promise.all([megabytes(), begun && look()])
      if (size > limits.megabytes) kill('out_of_memory', `more than ${limits.megabytes} MB`)
      else if (cpuSeconds > limits.seconds) kill('timed_out', `more than ${limits.seconds} s`)
    }, WATCH_MS)
    lost = () => end(begun ? 'crashed' : 'not_started', said.trim() || String(forked.signalCode ?? forked.exitCode))
    if (isGone) lost()
    ready.promise.then(async () => {
      usedBefore = await cpuSecondsOf(forked.pid)
      begun = true
      clearTimeout(late)
      const wall = limits.wallSeconds ?? Math.max(MIN_WALL_SECONDS, limits.seconds * WALL_FACTOR)
      late = setTimeout(() => kill('starved', `not done in ${wall} s`), wall * 1000)
      result = outcome.resolve
      forked.send(request as object, (error) => error && forked.kill('SIGKILL'))
    })
    const made = await outcome.promise
    clearTimeout(late)
    clearInterval(watch)
    result = lost = () => {}
    asked++
    if ('died' in made) await gone
    else await look()
    keepsAlive(forked, false)
    return made
  }

  return {
    get asked() {
      return asked
    },
    get cpuSeconds() {
      return cpuSeconds
    },
    get ended() {
      return ended
    },
    ask,
    megabytes,
    async end() {
      ended = true
      keepsAlive(forked, true)
      if (forked.connected) forked.disconnect()
      await gone
    },
  }
}

/** Lowers the process's priority, so that others run first on a busy machine. */
function giveWay(pid: number, nice: number) {
  try {
    setPriority(pid, nice)
  } catch {} // it has already exited, or this system doesn't allow it
}

function keepsAlive(forked: ChildProcess, yes: boolean) {
  for (const handle of [forked, forked.channel, forked.stderr as unknown as ChildProcess]) handle?.[yes ? 'ref' : 'unref']()
}

async function residentMegabytes(pid: number | undefined): Promise<number> {
  try {
    const kilobytes =
      process.platform === 'linux'
        ? /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
        : (await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])).stdout
    return Number(kilobytes ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Clock ticks per second in /proc: 100 on all current systems. */
const TICKS = 100

/** CPU time of a process and its threads in seconds; 0 after it has exited. */
async function cpuSecondsOf(pid: number | undefined): Promise<number> {
  try {
    if (process.platform === 'linux') {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
      // The second field is the name in parentheses, which may contain spaces. `utime` and `stime` are fields 14 and 15.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return (Number(fields[11]) + Number(fields[12])) / TICKS
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'time=', '-p', String(pid)])
    return stdout
      .trim()
      .split(/[:-]/)
      .reduce((sum, part) => sum * 60 + Number(part), 0)
  } catch {
    return 0
  }
}
