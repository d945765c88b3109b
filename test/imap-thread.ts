/** The small IMAP server in a thread of its own, so that what it does with a hostile mail isn't mistaken for what the service does. */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { startImap } from './imap.ts'

export async function startImapThread() {
  const thread = new Worker(new URL(import.meta.url))
  const [port] = (await once(thread, 'message')) as [number]
  return { port, stop: async () => void (await thread.terminate()) }
}

if (!isMainThread) parentPort?.postMessage((await startImap()).port)
