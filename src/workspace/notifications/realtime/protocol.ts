/** Messages of the Pusher Channels protocol, version 7, as far as clients of private channels need it. */
import { z } from 'zod'

/** Close codes. Below 4100 the client stays away; below 4200 it reconnects after a pause; below 4300 at once. */
export const CLOSED = {
  noSuchApplication: [4001, 'Application does not exist'],
  badVersion: [4006, 'Invalid version string format'],
  unsupportedVersion: [4007, 'Unsupported protocol version'],
  noVersion: [4008, 'No protocol version supplied'],
  unauthorized: [4009, 'The session has ended'],
  overCapacity: [4100, 'Over capacity'],
  tooManyMessages: [4100, 'Too many messages'],
  stopping: [4200, 'The server is stopping'],
  noPong: [4201, 'Pong reply not received'],
  idle: [4202, 'Closed after inactivity'],
} as const satisfies Record<string, [code: number, message: string]>
export type Reason = keyof typeof CLOSED

/**
 * Seconds of silence after which client and server ping each other, and seconds for the reply. Proxies close a connection after a
 * minute of silence.
 */
export const ACTIVITY_TIMEOUT = 30
export const PONG_TIMEOUT = 30

/** Seconds that data may wait for the client to read it, and seconds that a connection may be without a subscription. */
export const READ_TIMEOUT = 30
export const IDLE_TIMEOUT = 120

/** A longer message closes the connection. */
export const MAX_BYTES = 10 * 1024

/** `data` is text: JSON within JSON, as the protocol requires. */
export const said = (event: string, data: unknown, channel?: string) =>
  JSON.stringify({ event, ...(channel === undefined ? {} : { channel }), data: JSON.stringify(data) })

/** Errors of the protocol are objects. */
export const saidError = (code: number | null, message: string) =>
  JSON.stringify({ event: 'pusher:error', data: { code, message } })

/** Rejects a subscription. Client libraries pass the error to listeners of the channel. */
export const saidRefusal = (channel: string, error: string) =>
  said('pusher:subscription_error', { type: 'AuthError', error, status: 403 }, channel)

const name = z.string().max(200)
const Message = z.object({ event: name, channel: name.optional(), data: z.unknown() })
const Subscribe = z.object({ channel: name, auth: z.string().max(200).optional() })

export type Heard =
  | { event: 'subscribe'; channel: string; auth: string }
  | { event: 'unsubscribe'; channel: string }
  | { event: 'ping' | 'pong' | 'client' | 'unknown' | 'unreadable' }

/** Parses a client's message. Its `data` may be an object or its JSON. */
export function heard(text: string): Heard {
  const message = Message.safeParse(parsed(text))
  if (!message.success) return { event: 'unreadable' }
  const { event, data } = message.data
  if (event === 'pusher:ping') return { event: 'ping' }
  if (event === 'pusher:pong') return { event: 'pong' }
  if (event.startsWith('client-')) return { event: 'client' }
  if (event !== 'pusher:subscribe' && event !== 'pusher:unsubscribe') return { event: 'unknown' }
  const named = Subscribe.safeParse(typeof data === 'string' ? parsed(data) : data)
  if (!named.success) return { event: 'unreadable' }
  const { channel, auth = '' } = named.data
  return event === 'pusher:subscribe' ? { event: 'subscribe', channel, auth } : { event: 'unsubscribe', channel }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
