/**
 * One child process that works on requests, one at a time, under limits of time and memory. What ends it is the outcome of the request
 * at hand: the parent goes on whatever the child is given. Its other end is `child-side.ts`.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { promisify } from 'node:util'

export interface Death {
  died: 'not_started' | 'crashed' | 'timed_out' | 'out_of_memory'
  why: string
}

export interface Limits {
  /** Time of one request. */
  seconds: number
  /** Resident memory of the process meanwhile. */
  megabytes: number
}

export interface Child<Request, Reply> {
  /** Requests so far. */
  readonly asked: number
  /** Whether it takes no more. */
  readonly ended: boolean
  /** One at a time. Never rejects. */
  ask(request: Request, limits: Limits): Promise<Reply | Death>
  /** Resident memory; 0 when it is gone. */
  megabytes(): Promise<number>
  /** Ends it, unless it is at work. */
  end(): Promise<void>
}

const WATCH_MS = 50
/** Loading code and fonts takes a tenth of a second where nothing else is going on. */
const START_SECONDS = 60

/** Starts a process with an empty environment: it knows nothing of the server but its code. Idle, it doesn't keep the server alive. */
export function startChild<Request, Reply extends object>(
  program: URL,
  { execArgv = [], nice }: { execArgv?: string[]; nice?: number } = {},
): Child<Request, Reply> {
  const forked = fork(program, { env: {}, execArgv, serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let said = ''
  let ended = false
  let asked = 0
  // Of the request at hand alone: what hangs on a promise of the child's whole life, such as `gone`, is kept for as long as that.
  let result: (reply: Reply) => void = () => {}
  let lost = () => {}
  let isGone = false
  const ready = Promise.withResolvers<void>()
  // `close` is not told of a child that was disconnected: ended, and what it said has been read.
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
  // A system without memory ends this process first, not the server.
  if (forked.pid) writeFile(`/proc/${forked.pid}/oom_score_adj`, '1000').catch(() => {}) // not on this system
  const megabytes = () => residentMegabytes(forked.pid)

  async function ask(request: Request, limits: Limits): Promise<Reply | Death> {
    keepsAlive(forked, true)
    const outcome = Promise.withResolvers<Reply | Death>()
    let begun = false
    const kill = (death: Death) => {
      outcome.resolve(death)
      forked.kill('SIGKILL')
    }
    let late = setTimeout(() => kill({ died: 'not_started', why: `not ready in ${START_SECONDS} s` }), START_SECONDS * 1000)
    const watch = setInterval(async () => {
      if ((await megabytes()) > limits.megabytes) kill({ died: 'out_of_memory', why: `more than ${limits.megabytes} MB` })
    }, WATCH_MS)
    lost = () =>
      outcome.resolve({
        died: begun ? 'crashed' : 'not_started',
        why: said.trim() || String(forked.signalCode ?? forked.exitCode),
      })
    if (isGone) lost()
    ready.promise.then(() => {
      begun = true
      clearTimeout(late)
      late = setTimeout(() => kill({ died: 'timed_out', why: `more than ${limits.seconds} s` }), limits.seconds * 1000)
      result = outcome.resolve
      forked.send(request as object, (error) => error && forked.kill('SIGKILL'))
    })
    const made = await outcome.promise
    clearTimeout(late)
    clearInterval(watch)
    result = lost = () => {}
    asked++
    if ('died' in made) await gone
    keepsAlive(forked, false)
    return made
  }

  return {
    get asked() {
      return asked
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

/** Lets other processes go first where there are too few processors. */
function giveWay(pid: number, nice: number) {
  try {
    setPriority(pid, nice)
  } catch {} // it has ended already, or this system allows no such thing
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
