/**
 * WebSocket endpoints of modules. A manifest declares its `upgrade`; the kernel matches its path, resolves the client's address,
 * limits the message size, and closes the sockets at shutdown. Requests to upgrade to anything else, which some clients send
 * every time, are served as normal requests.
 */
import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyInstance } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Services } from '../context.ts'
import { wireOptions } from './wire.ts'

declare module '../modules/module.ts' {
  interface Manifest {
    /** WebSocket protocol of the module. */
    upgrade?: () => Promise<{ default: Upgrade }>
  }
}

/** An upgraded connection. */
export interface Upgraded {
  socket: WebSocket
  /** Path after `under`. */
  key: string
  query: URLSearchParams
  /** Address of the client, according to the trusted proxies. */
  ip: string
}

/** WebSocket protocol of a module. */
export interface Upgrade {
  /** Path prefix: `/app/` for `/app/:key`. */
  under: `/${string}/`
  /** Maximum message size in bytes; a longer message closes the connection (1009). */
  mostBytes: number
  /** Called once in each serving process. `close` ends the sockets as the protocol requires. */
  open(services: Services): { connect(one: Upgraded): void; close(): void }
}

/** Milliseconds after which sockets that haven't closed are terminated. */
const TIMEOUT_MS = 2000

/** Accepts WebSocket upgrades for modules, and closes those sockets when the server closes. */
export async function acceptUpgrades(app: FastifyInstance, services: Services) {
  const declared = await Promise.all(services.modules.all.flatMap(({ upgrade }) => upgrade?.() ?? []))
  const seats = declared.map(({ default: { under, mostBytes, open } }) => ({
    under,
    server: new WebSocketServer({ noServer: true, maxPayload: mostBytes, autoPong: false }),
    ...open(services),
  }))
  const addressOf = addressesBehind(services)
  let closing = false

  const seatOf = ({ url = '', headers }: IncomingMessage) =>
    closing || headers.upgrade?.toLowerCase() !== 'websocket' ? undefined : seats.find(({ under }) => url.startsWith(under))

  const server = app.server as Server & { shouldUpgradeCallback(request: IncomingMessage): boolean }
  server.shouldUpgradeCallback = (request) => seatOf(request) !== undefined
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const seat = seatOf(request)
    const url = URL.parse(request.url ?? '', 'http://localhost')
    if (!seat || !url) return void stream.destroy()
    seat.server.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', () => {}) // 'close' follows
      // No pong while earlier data is unsent: a client that sends pings and reads nothing would fill the memory.
      socket.on('ping', (data) => void (socket.bufferedAmount === 0 && socket.pong(data)))
      const key = url.pathname.slice(seat.under.length)
      seat.connect({ socket, key, query: url.searchParams, ip: addressOf(request) })
    })
  })
  app.addHook('preClose', async () => {
    closing = true
    for (const { close } of seats) close()
    await Promise.all(seats.map(({ server }) => ended(server.clients)))
  })
}

/** Returns a function for the client address, equal to Fastify's `request.ip`. */
function addressesBehind({ config }: Services) {
  const { trustProxy } = wireOptions(config)
  const trusts = typeof trustProxy === 'object' ? proxyAddr.compile(trustProxy) : trustProxy
  return (request: IncomingMessage) => (trusts ? proxyAddr(request, trusts) : (request.socket.remoteAddress ?? ''))
}

async function ended(sockets: Set<WebSocket>) {
  const impatient = setTimeout(() => sockets.forEach((socket) => void socket.terminate()), TIMEOUT_MS)
  await Promise.all([...sockets].map((socket) => once(socket, 'close')))
  clearTimeout(impatient)
}
