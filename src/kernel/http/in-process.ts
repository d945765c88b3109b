/**
 * Operations that the process itself calls for somebody, by the very pipeline that serves everybody: who they are, what they may, limits,
 * validation and the log apply as to any request. Other protocols are made of it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { OutgoingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Origin, Services } from '../context.ts'
import type { Method } from './route.ts'

export interface InnerCall {
  method: Method
  /** Path and query. */
  url: string
  /** The caller's credentials among them. */
  headers: Record<string, string>
  /** JSON. */
  body?: string
  /** The program that asks for somebody, as it calls itself. */
  client: string
  /** A language model decides on the call and reads its reply. */
  isAgent?: true
  /** More of a reply is not read. */
  maxBytes: number
}

export interface InnerReply {
  status: number
  headers: OutgoingHttpHeaders
  body: Buffer
  /** The reply is longer than what was read of it. */
  isCut: boolean
}

const apps = new WeakMap<Services, FastifyInstance>()
const callers = new AsyncLocalStorage<Pick<InnerCall, 'client' | 'isAgent'>>()

/** Lets an application's handlers call its operations. */
export const acceptInnerCalls = (services: Services, app: FastifyInstance) => void apps.set(services, app)

/** The program through which a request comes, where this process makes it for one. No header can say so. */
export const clientOf = () => callers.getStore()?.client

/** Whether the request was made by an agent. */
export const isAgentCall = () => callers.getStore()?.isAgent === true

/** Makes a request of a request, from the same address and in its name. Outside of any transaction: it opens its own. */
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
  // Fastify's own `inject` refuses as soon as the process begins to stop, while it answers what still comes.
  const { routing } = apps.get(services)!
  const reply = await callers.run({ client: call.client, isAgent: call.isAgent }, async () =>
    inject(routing, { method, url, headers, payload: body, remoteAddress: request.ip, payloadAsStream: true }),
  )
  const read = await readUpTo(reply.stream(), maxBytes)
  if (read.isCut) reply.raw.res.destroy() // ends whatever still writes: the stream alone would leave it waiting
  return { status: reply.statusCode, headers: reply.headers, ...read }
}

async function readUpTo(stream: Readable, most: number) {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer)
    bytes += (chunk as Buffer).length
    if (bytes > most) break // which destroys the stream
  }
  return { body: Buffer.concat(chunks).subarray(0, most), isCut: bytes > most }
}
