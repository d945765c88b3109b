/** Server settings of every connection: timeouts, header limits, replies to malformed requests. */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyHttpOptions, FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { badRequest } from '../errors.ts'
import { isLoopback } from '../values/loopback.ts'

/** Interval of timeout checks, in milliseconds. */
const CHECKED_EVERY = 1000

/** Returns Fastify's server options. */
export const wireOptions = ({ TRUST_PROXY: hops, ...config }: Config) =>
  ({
    trustProxy: typeof hops === 'number' ? (_: string, hop: number) => hop < hops : hops,
    requestTimeout: config.REQUEST_TIMEOUT,
    keepAliveTimeout: config.KEEP_ALIVE_TIMEOUT,
    // Node doesn't accept a headers timeout above the request timeout.
    http: {
      headersTimeout: Math.min(config.HEADERS_TIMEOUT, config.REQUEST_TIMEOUT || Infinity),
      connectionsCheckingInterval: CHECKED_EVERY,
    },
    genReqId: requestId,
    rewriteUrl: routedPath(config.SHORT_LINK_BASE_URL),
    clientErrorHandler: replyOnSocket,
  }) satisfies FastifyHttpOptions<Server>

/** On the short-link host (SHORT_LINK_BASE_URL), rewrites paths to those below /r. */
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

/**
 * Whether a path can be decoded. The router answers invalid ones itself. Below /r they are escaped instead: they match no link,
 * and the visitor gets the page for unknown links.
 */
function canBeDecoded(path: string) {
  try {
    decodeURI(path.split(/[?#]/, 1)[0]!)
    return true
  } catch {
    return false
  }
}

/** Rejects a request target with a fragment (RFC 9112, 3.2): another parser might take a different part of it for the path. */
export const refuseFragments = (app: FastifyInstance) =>
  void app.addHook('onRequest', async ({ originalUrl }) => {
    if (originalUrl.includes('#')) throw badRequest('An address is sent without what follows a #.')
  })

/** A year in seconds, during which browsers use only https. */
const HTTPS_ONLY = 'max-age=31536000'

/** Sets the security and caching headers of every reply. */
export function sendSafetyHeaders(app: FastifyInstance, { BASE_URL }: Pick<Config, 'BASE_URL'>) {
  // Without subdomains, which may belong to others. Not on loopback: a developer's machine has other services on other ports.
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

/** Milliseconds for which a client may leave a reply unread. Tests shorten it. */
export const UNREAD = { patience: 120_000 }

/**
 * Closes connections whose reply stays unread: it is held in memory, and no other timeout applies. Node resets the timeout for
 * the next request.
 */
export function cutUnread(app: FastifyInstance) {
  app.addHook('onSend', async ({ raw }) => void raw.socket?.setTimeout?.(UNREAD.patience)) // inner calls have no such socket
}

/** Uses the client's own request id if it is valid; otherwise generates one. */
function requestId({ headers }: IncomingMessage) {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : crypto.randomUUID()
}

/** Returns the path of a request target. Proxies may send it with scheme and host. */
function pathOf({ url = '/' }: IncomingMessage): string {
  if (!/^https?:\/\//i.test(url)) return url
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

const told: Record<string, [status: number, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'HEADERS_TOO_LARGE', 'The address or the headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'REQUEST_TIMEOUT', 'The request took too long to arrive.'],
}

/**
 * Answers a malformed request: there is no request object yet, so the envelope is written to the socket, which is then closed.
 */
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
