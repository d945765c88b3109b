/**
 * Calls API operations within the process on a user's behalf, through the normal request pipeline: authentication, permissions,
 * limits, validation and logging apply as usual. Other protocols (MCP) are built on it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { OutgoingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Origin, Services } from '../context.ts'
import type { Method } from './route.ts'

/** An API call within the process. */
export interface InnerCall {
  method: Method
  /** Path and query. */
  url: string
  /** Includes the caller's credentials. */
  headers: Record<string, string>
  /** JSON text. */
  body?: string
  /** Name of the calling program, as given by the program itself. */
  client: string
  /** A language model decides on the call and reads its reply. */
  isAgent?: true
  /** Maximum number of bytes read of the reply. */
  maxBytes: number
}

/** Reply to a call within the process. */
export interface InnerReply {
  status: number
  headers: OutgoingHttpHeaders
  body: Buffer
  /** Whether the reply was longer than `maxBytes`. */
  isCut: boolean
}

const apps = new WeakMap<Services, FastifyInstance>()
const callers = new AsyncLocalStorage<Pick<InnerCall, 'client' | 'isAgent'>>()

/** Registers the application whose operations handlers may call. */
export const acceptInnerCalls = (services: Services, app: FastifyInstance) => void apps.set(services, app)

/** Returns the program for which this process makes the current request. It can't be set by a header. */
export const clientOf = () => callers.getStore()?.client

/** Whether the current request was made by an agent. */
export const isAgentCall = () => callers.getStore()?.isAgent === true

/**
 * Makes a request within a request, with the same address and request id. Must be called outside any transaction: it opens its
 * own.
 */
export async function callInProcess({ services, request }: Origin, call: InnerCall): Promise<InnerReply> {
  const { method, url, body, maxBytes } = call
  const headers: Record<string, string> = {
    ...call.headers,
    host: request.host,
    'user-agent': request.userAgent,
    'x-request-id': request.id,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const { default: inject } = await import('light-my-request')
  // Fastify's `inject` fails as soon as the shutdown begins, while requests are still answered.
  const { routing } = apps.get(services)!
  const reply = await callers.run({ client: call.client, isAgent: call.isAgent }, async () =>
    inject(routing, { method, url, headers, payload: body, remoteAddress: request.ip, payloadAsStream: true }),
  )
  const read = await readUpTo(reply.stream(), maxBytes)
  if (read.isCut) reply.raw.res.destroy() // stops the handler's writing; destroying only the stream would leave it waiting
  return { status: reply.statusCode, headers: reply.headers, ...read }
}

async function readUpTo(stream: Readable, most: number) {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > most) break // also destroys the stream
  }
  return { body: Buffer.concat(chunks).subarray(0, most), isCut: bytes > most }
}
