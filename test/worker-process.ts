/** Separate worker processes, which can be stopped and killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { wallClockEnvironment } from './days.ts'
import type { World } from './harness.ts'

/** Detects lost workers as quickly as the queue supports. */
export const QUICK_HEARTBEAT = { JOB_HEARTBEAT_SECONDS: '10' }

/** Number of kills of a worker or a process. */
export const KILLS = Number(process.env.JOB_KILLS ?? 10)

/** Starts workers on the test's database; `roots` as in `startTest`. */
export function workersOf(world: World, roots: string[] = []) {
  const workers = new Set<ChildProcess>()

  async function start() {
    const { DATABASE_URL = '', DATA_DIR, APP_KEY, SMTP_URL, JOB_HEARTBEAT_SECONDS } = world.services.config
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
    const own = {
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      ...wallClockEnvironment(),
      LOG_LEVEL: 'error',
      ...(SMTP_URL ? { SMTP_URL } : {}),
    }
    const TEST_CLOCK_AHEAD = String(Date.parse(world.clock.now()) - Date.now())
    const env = {
      ...own,
      DATABASE_URL,
      DATA_DIR,
      APP_KEY: APP_KEY.toString('base64'),
      JOB_HEARTBEAT_SECONDS: String(JOB_HEARTBEAT_SECONDS),
      TEST_CLOCK_AHEAD,
    }
    const worker = spawn(process.execPath, [join(import.meta.dirname, 'worker.ts'), ...roots], { env })
    workers.add(worker)
    worker.once('close', () => workers.delete(worker))
    worker.stderr.pipe(process.stderr)
    let output = ''
    for await (const chunk of worker.stdout.iterator({ destroyOnReturn: false }))
      if ((output += chunk).includes(' is ready (')) {
        worker.stdout.pipe(process.stderr) // its log; an unread stream would prevent the process from closing
        return worker
      }
    throw new Error(`The worker ended:\n${output}`)
  }

  /** Returns its exit code. */
  async function end(worker: ChildProcess, signal: NodeJS.Signals) {
    workers.delete(worker)
    const ended = once(worker, 'close')
    worker.kill(signal)
    return (await ended)[0] as number | null
  }

  return { start, end, endAll: () => Promise.all([...workers].map((worker) => end(worker, 'SIGKILL'))) }
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
