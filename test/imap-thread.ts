/** Runs the test IMAP server in a separate thread, so that its own work on hostile mail isn't attributed to the service. */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { startImap } from './imap.ts'

export async function startImapThread() {
  const thread = new Worker(new URL(import.meta.url))
  const [port] = (await once(thread, 'message')) as [number]
  return { port, stop: async () => void (await thread.terminate()) }
}

if (!isMainThread) parentPort?.postMessage((await startImap()).port)
