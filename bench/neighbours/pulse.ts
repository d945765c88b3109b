/** GET /me every 25 ms, from a separate thread that the attacker's work in this process doesn't delay. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export interface Pulse {
  /** Time of each reply in milliseconds, ascending. Missing replies count with the time waited for them. */
  took: number[]
  /** Replies other than 200, by status or error. */
  refused: Record<string, number>
}

const EVERY_MS = 25
/** Maximum time to wait at the end for pending requests. */
const TIMEOUT_MS = 10_000

/** Starts the thread. Stopping it returns the times. */
export async function startPulse(base: string, token: string) {
  const thread = new Worker(new URL(import.meta.url), { workerData: { base, token } })
  await once(thread, 'online')
  return {
    async stop(): Promise<Pulse> {
      thread.postMessage('stop')
      const [pulse] = (await once(thread, 'message')) as [Pulse]
      await thread.terminate()
      return pulse
    },
  }
}

async function beat(base: string, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 500 })
  const pulse: Pulse = { took: [], refused: {} }
  const underWay = new Set<Promise<void>>()
  const refuse = (what: string) => (pulse.refused[what] = (pulse.refused[what] ?? 0) + 1)
  function ask() {
    const began = performance.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    let isOver = false
    const end = (what: string) => {
      if (isOver) return
      isOver = true
      pulse.took.push(performance.now() - began)
      if (what !== '200') refuse(what)
      resolve()
    }
    const asked = request(`${base}/api/tenant/v1/me`, { agent, headers: { authorization: `Bearer ${token}` } }, (reply) => {
      reply.resume()
      reply.on('end', () => end(String(reply.statusCode))).on('error', (error) => end(error.message))
    })
    asked.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
    asked.setTimeout(30_000, () => asked.destroy(new Error('30 s')))
    asked.end()
    underWay.add(promise)
    promise.then(() => underWay.delete(promise))
  }
  const timer = setInterval(ask, EVERY_MS)
  await once(parentPort!, 'message')
  clearInterval(timer)
  await Promise.race([Promise.all(underWay), sleep(TIMEOUT_MS)])
  for (const _ of underWay) {
    refuse('unanswered')
    pulse.took.push(TIMEOUT_MS)
  }
  pulse.took.sort((a, b) => a - b)
  parentPort!.postMessage(pulse)
}

if (!isMainThread) await beat(workerData.base, workerData.token)
