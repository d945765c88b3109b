/** One child process that draws: its start, its limits, its end. What ends it is the result of the document it was drawing. */
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Drawn, Sheet } from './worker.ts'

export interface Death {
  died: 'not_started' | 'crashed' | 'timed_out' | 'out_of_memory'
  why: string
}

export interface Child {
  /** Documents drawn so far. */
  readonly drawn: number
  /** Whether it can't draw any more. */
  readonly ended: boolean
  /** One at a time. Never rejects. */
  draw(sheet: Sheet): Promise<Drawn | Death>
  /** Resident memory; 0 when it is gone. */
  megabytes(): Promise<number>
  /** Ends it, unless it is drawing. */
  end(): Promise<void>
}

const WATCH_MS = 50
/** Loading code and fonts takes a tenth of a second where nothing else is going on. */
const START_SECONDS = 60

/** Starts a process with an empty environment: it knows nothing of the server but its code. Idle, it doesn't keep the server alive. */
export function startChild(limits: { seconds: number; megabytes: number }): Child {
  const forked = fork(new URL('./worker.ts', import.meta.url), {
    env: {},
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  let ended = false
  let drawn = 0
  let result: (drawn: Drawn) => void = () => {}
  const ready = Promise.withResolvers<void>()
  // `close` is not told of a child that was disconnected: ended, and what it said has been read.
  const exited = Promise.withResolvers<void>()
  forked.once('exit', () => exited.resolve())
  forked.on('error', (error) => exited.resolve(void (said += error.message)))
  const gone = Promise.all([exited.promise, once(forked.stderr!, 'close')])
  gone.then(() => (ended = true))
  forked.stderr!.on('data', (chunk: Buffer) => (said = (said + chunk).slice(-2000)))
  forked.on('message', (message) => (message === 'ready' ? ready.resolve() : result(message as Drawn)))
  keepsAlive(forked, false)
  const megabytes = () => residentMegabytes(forked.pid)

  async function draw(sheet: Sheet): Promise<Drawn | Death> {
    keepsAlive(forked, true)
    const outcome = Promise.withResolvers<Drawn | Death>()
    let begun = false
    const kill = (death: Death) => {
      outcome.resolve(death)
      forked.kill('SIGKILL')
    }
    let late = setTimeout(() => kill({ died: 'not_started', why: `not ready in ${START_SECONDS} s` }), START_SECONDS * 1000)
    const watch = setInterval(async () => {
      if ((await megabytes()) > limits.megabytes) kill({ died: 'out_of_memory', why: `more than ${limits.megabytes} MB` })
    }, WATCH_MS)
    gone.then(() =>
      outcome.resolve({
        died: begun ? 'crashed' : 'not_started',
        why: said.trim() || String(forked.signalCode ?? forked.exitCode),
      }),
    )
    ready.promise.then(() => {
      begun = true
      clearTimeout(late)
      late = setTimeout(() => kill({ died: 'timed_out', why: `more than ${limits.seconds} s` }), limits.seconds * 1000)
      result = outcome.resolve
      forked.send(sheet, (error) => error && forked.kill('SIGKILL'))
    })
    const made = await outcome.promise
    clearTimeout(late)
    clearInterval(watch)
    drawn++
    if ('died' in made) await gone
    keepsAlive(forked, false)
    return made
  }

  return {
    get drawn() {
      return drawn
    },
    get ended() {
      return ended
    },
    draw,
    megabytes,
    async end() {
      ended = true
      keepsAlive(forked, true)
      if (forked.connected) forked.disconnect()
      await gone
    },
  }
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
