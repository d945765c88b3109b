/** What holds for every connection, before any route: how long a client may take, and what it is told when it can't be understood. */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyHttpOptions, FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { badRequest } from '../errors.ts'
import { isLoopback } from '../values/loopback.ts'

/** Who takes too long is found out within a second. */
const CHECKED_EVERY = 1000

export const wireOptions = ({ TRUST_PROXY: hops, ...config }: Config) =>
  ({
    trustProxy: typeof hops === 'number' ? (_: string, hop: number) => hop < hops : hops,
    requestTimeout: config.REQUEST_TIMEOUT,
    keepAliveTimeout: config.KEEP_ALIVE_TIMEOUT,
    // Node takes none above the request's.
    http: {
      headersTimeout: Math.min(config.HEADERS_TIMEOUT, config.REQUEST_TIMEOUT || Infinity),
      connectionsCheckingInterval: CHECKED_EVERY,
    },
    genReqId: requestId,
    rewriteUrl: routedPath(config.SHORT_LINK_BASE_URL),
    clientErrorHandler: replyOnSocket,
  }) satisfies FastifyHttpOptions<Server>

/** On the address of short links (SHORT_LINK_BASE_URL), what follows it means the same as below /r. */
function routedPath(shortLinkBaseUrl: string) {
  const { host, pathname } = new URL(shortLinkBaseUrl)
  const base = pathname.replace(/\/$/, '')
  const short = (request: IncomingMessage, path: string) => {
    const asked = request.headers.host?.toLowerCase().replace(/:(80|443)$/, '')
    return base !== '/r' && asked === host && path.startsWith(`${base}/`) ? `/r${path.slice(base.length)}` : path
  }
  return (request: IncomingMessage) => {
    const path = short(request, pathOf(request))
    return path.startsWith('/r/') && !canBeDecoded(path) ? path.replaceAll('%', '%25') : path
  }
}

/** The router answers what can't be decoded by itself. Below /r it is taken as it is written: it names no link, and people are shown the page that says so. */
function canBeDecoded(path: string) {
  try {
    decodeURI(path.split(/[?#]/, 1)[0]!)
    return true
  } catch {
    return false
  }
}

/** A request target has no fragment (RFC 9112, 3.2): what reads one might take another part of it for the path than the router does. */
export const refuseFragments = (app: FastifyInstance) =>
  void app.addHook('onRequest', async ({ originalUrl }) => {
    if (originalUrl.includes('#')) throw badRequest('An address is sent without what follows a #.')
  })

/** A year: for so long a browser that came by https comes by nothing else. */
const HTTPS_ONLY = 'max-age=31536000'

/** What every reply says to browsers and caches. */
export function sendSafetyHeaders(app: FastifyInstance, { BASE_URL }: Pick<Config, 'BASE_URL'>) {
  // Of this host alone: names below it may be somebody else's. A developer's machine has other services, on other ports.
  const isHttps = BASE_URL.startsWith('https:') && !isLoopback(BASE_URL)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      ...(isHttps ? { 'strict-transport-security': HTTPS_ONLY } : {}),
    })
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'private, no-store')
  })
}

/** How long a client may read nothing of a reply, in milliseconds. Tests shorten it. */
export const UNREAD = { patience: 120_000 }

/** Ends connections on which a reply lies unread: it is held in memory, and nothing else would ever end it. Node takes it back for the next request. */
export function cutUnread(app: FastifyInstance) {
  app.addHook('onSend', async ({ raw }) => void raw.socket?.setTimeout?.(UNREAD.patience)) // an inner call has no such socket
}

/** The client's own id for its request, where it is a sensible one. */
function requestId({ headers }: IncomingMessage) {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : crypto.randomUUID()
}

/** A request target with scheme and host, as proxies send it, means the same as its path. */
function pathOf({ url = '/' }: IncomingMessage): string {
  if (!/^https?:\/\//i.test(url)) return url
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

const told: Record<string, [status: number, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'HEADERS_TOO_LARGE', 'The address or the headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'REQUEST_TIMEOUT', 'The request took too long to arrive.'],
}

/** There is no request yet to reply to: the envelope is written by hand, and the connection ends. */
function replyOnSocket(error: Error & { code?: string }, socket: Socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, code, message] = told[error.code ?? ''] ?? [400, 'BAD_REQUEST', 'The request can’t be read.']
  const request_id = crypto.randomUUID()
  const body = JSON.stringify({ status: 'error', message, data: null, meta: null, code, request_id })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${request_id}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
