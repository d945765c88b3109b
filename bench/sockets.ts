/** Realtime: a thousand open clients, and notifications that another process writes for them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { notify } from '../src/workspace/notifications/notify.ts'
import { connect, type Listener } from './listener.ts'
import type { Filled } from './prepare.ts'
import { milliseconds, whole } from './table.ts'

const SINGLE = 300
const WRITERS = 8
const SECONDS = 8

/** Measures the latency from commit to receipt, one notification at a time, then the maximum throughput. */
export async function measureSockets(firm: Filled, base: string): Promise<[string, string][]> {
  const heard = new Map<string, number>()
  let received = 0
  const listeners = await connectAll(firm, base, (body) => {
    heard.set(body, performance.now())
    received++
  })
  const pick = () => listeners[Math.floor(Math.random() * listeners.length)]!.userId

  const latencies: number[] = []
  for (let n = 0; n < SINGLE; n++) {
    const body = `single ${n}`
    await write(firm, pick(), body)
    const committed = performance.now()
    while (!heard.has(body)) await sleep(0.2)
    latencies.push(Math.max(0, heard.get(body)! - committed))
  }
  latencies.sort((a, b) => a - b)

  received = 0
  let written = 0
  const began = performance.now()
  const writers = Array.from({ length: WRITERS }, async (_, w) => {
    while (performance.now() - began < SECONDS * 1000) await write(firm, pick(), `many ${w} ${written++}`)
  })
  await Promise.all(writers)
  const wrote = performance.now()
  while (received < written && performance.now() - wrote < 30_000) await sleep(1)
  const seconds = (performance.now() - began) / 1000
  for (const { socket } of listeners) socket.terminate()
  return [
    ['sockets', whole(listeners.length)],
    ['from commit to receipt, median', milliseconds(latencies[SINGLE / 2]!)],
    ['from commit to receipt, 99 of 100', milliseconds(latencies[Math.floor(SINGLE * 0.99)]!)],
    ['written and received a second', `${whole(received / seconds)} (${whole(received)} of ${whole(written)})`],
    ['the last one after the last commit', milliseconds(performance.now() - wrote)],
  ]
}

const write = ({ inside }: Filled, userId: number, body: string) =>
  inside((ctx) =>
    notify(ctx, [userId], async () => ({
      ...{ type: 'announcement', title: 'Benchmark', body, entity_type: null, source: 'system', dedupe_key: body },
      route: { resource: 'task', action: 'list', entity_id: null },
    })),
  )

/** Connects clients, each signed in as a different user, some at a time. */
async function connectAll({ id, tokens }: Filled, base: string, hear: (body: string) => void): Promise<Listener[]> {
  const listeners: Listener[] = []
  const queue = [...tokens]
  const connectSome = async () => {
    for (let token = queue.pop(); token; token = queue.pop()) listeners.push(await connect(id, token, base, hear))
  }
  await Promise.all(Array.from({ length: 16 }, connectSome))
  return listeners
}
