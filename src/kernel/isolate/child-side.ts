/** A child's end of `child.ts`: answers one request after another, and ends with its parent. */
import { Worker } from 'node:worker_threads'

/** Answers each of the parent's requests; `afterwards` runs when the reply is on its way. */
export function serveParent<Request, Reply extends object>(
  answer: (request: Request) => Reply | Promise<Reply>,
  afterwards: () => void = () => {},
) {
  process.on('message', async (request: Request) => {
    process.send?.(await answer(request))
    afterwards()
  })
  // A terminal's Ctrl-C and a service manager's SIGTERM reach the whole group; the parent says when to end.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  // During a request nothing else runs on this thread, so another one looks after the parent. It must be at work before that.
  const orphan = new Worker(new URL('./orphan.ts', import.meta.url))
  orphan.once('message', () => process.send?.('ready'))
  orphan.unref()
}
