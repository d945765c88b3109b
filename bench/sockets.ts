/** Realtime: a thousand open clients, and notifications that another process writes for them. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'
import { notify } from '../src/workspace/notifications/notify.ts'
import type { Filled } from './prepare.ts'
import { milliseconds, whole } from './table.ts'

interface Listener {
  userId: number
  socket: WebSocket
}

const SINGLE = 300
const WRITERS = 8
const SECONDS = 8

/** Latency from the commit to the receipt, one notification after the other; then as many as can be written at once. */
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

/** Each signed in as a user of its own, some at a time. */
async function connectAll({ id, tokens }: Filled, base: string, hear: (body: string) => void): Promise<Listener[]> {
  const listeners: Listener[] = []
  const queue = [...tokens]
  const connectSome = async () => {
    for (let token = queue.pop(); token; token = queue.pop()) listeners.push(await connect(id, token, base, hear))
  }
  await Promise.all(Array.from({ length: 16 }, connectSome))
  return listeners
}

async function connect(workspace: number, token: string, base: string, hear: (body: string) => void): Promise<Listener> {
  const api = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await fetch(
      `${base}/api/tenant/v1${path}`,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
    )
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}`)
    return (await reply.json()) as any
  }
  const [{ data: me }, { data: config }] = [await api('/me'), await api('/broadcasting/config')]
  const socket = new WebSocket(`${base.replace('http', 'ws')}/app/${config.key}?protocol=7`)
  const greeting = JSON.parse(String((await once(socket, 'message'))[0]))
  const channel = `private-tenant.${workspace}.user.${me.user.id}`
  const { auth } = await api('/broadcasting/auth', { socket_id: JSON.parse(greeting.data).socket_id, channel_name: channel })
  socket.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel, auth } }))
  const reply = JSON.parse(String((await once(socket, 'message'))[0]))
  if (reply.event !== 'pusher_internal:subscription_succeeded') throw new Error(`Not subscribed: ${reply.event}`)
  socket.on('message', (text) => {
    const { event, data } = JSON.parse(String(text))
    if (event === 'notification.created') hear(JSON.parse(data).data.body)
  })
  return { userId: me.user.id, socket }
}
