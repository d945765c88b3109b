/** The application in a separate process next to a test's world, for tests that depend on a real socket and on memory. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { World } from './harness.ts'

export interface Child {
  url: string
  /** Returns the maximum increase of the process's resident memory in bytes during the work. */
  riseDuring(work: () => Promise<unknown>): Promise<number>
  /** Kills it, as a crash does. */
  kill(): void
  stop(): Promise<void>
}

export async function startChild({ services: { config } }: World, execArgv: string[] = []): Promise<Child> {
  const { DATABASE_URL = '', DATA_DIR, BASE_URL, APP_KEY } = config
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const env = { PATH, HOME, NODE_COMPILE_CACHE, DATABASE_URL, DATA_DIR, BASE_URL, APP_KEY: APP_KEY.toString('base64') }
  const child = fork(join(import.meta.dirname, 'fixtures/serve.ts'), { env, execArgv, stdio: 'inherit' })
  const ended = once(child, 'exit')
  const heard = async () => (await Promise.race([once(child, 'message'), ended.then(() => [])]))[0] as any
  const ask = (message: string) => {
    const answer = heard()
    child.send(message)
    return answer
  }
  const { port } = await heard()
  return {
    url: `http://127.0.0.1:${port}`,
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
    async riseDuring(work) {
      await ask('measure')
      await work()
      return (await ask('measured')).rise
    },
  }
}
