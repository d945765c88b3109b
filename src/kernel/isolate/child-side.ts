/** Child's end of `child.ts`: answers one request at a time and exits with its parent. */
import { Worker } from 'node:worker_threads'

/** Answers each request of the parent. `afterwards` runs once the reply is sent. */
export function serveParent<Request, Reply extends object>(
  answer: (request: Request) => Reply | Promise<Reply>,
  afterwards: () => void = () => {},
) {
  process.on('message', async (request: Request) => {
    process.send?.(await answer(request))
    afterwards()
  })
  // Ctrl-C in a terminal and SIGTERM of a service manager reach the whole process group. The parent decides when to exit.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  // A request blocks this thread, so another thread watches the parent. It must be running before the first request.
  const orphan = new Worker(new URL('./orphan.ts', import.meta.url))
  orphan.once('message', () => process.send?.('ready'))
  orphan.unref()
}
