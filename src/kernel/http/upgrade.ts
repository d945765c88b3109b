/**
 * The seat of modules that speak another protocol over WebSockets. A manifest names its `upgrade`; the kernel knows its paths, who
 * asks, and how long a message may be, and ends the sockets when the process stops. Whoever asks to upgrade to anything else, as some
 * clients do with every request, is served as if they hadn't.
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
    /** Another protocol that it speaks over WebSockets. */
    upgrade?: () => Promise<{ default: Upgrade }>
  }
}

/** A connection that was upgraded. */
export interface Upgraded {
  socket: WebSocket
  /** What stands in the path behind `under`. */
  key: string
  query: URLSearchParams
  /** Whose it is, as far as the proxies in front are believed. */
  ip: string
}

export interface Upgrade {
  /** What its paths begin with: `/app/` for `/app/:key`. */
  under: `/${string}/`
  /** A longer message ends the connection (1009). */
  mostBytes: number
  /** Once in each process that serves. `close` ends the sockets in the protocol's own way. */
  open(services: Services): { connect(one: Upgraded): void; close(): void }
}

/** Sockets that haven't answered the end after so many milliseconds are cut. */
const TIMEOUT_MS = 2000

/** Lets modules answer what asks to go on in another protocol, and ends those sockets when the server closes. */
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
      // A client that pings and reads nothing gets no pongs that would wait in memory.
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

/** The address that Fastify would tell. */
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
