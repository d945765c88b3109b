/** Calls that change something: once however often they are sent, and only in the state that the agent has seen. */
import type { InnerReply } from '#kernel/http/in-process.ts'
import { sha256 } from '#kernel/secrets/secrets.ts'
import { type Asked, request } from './calling.ts'
import type { Caller, Operation } from './operations.ts'

export interface Change extends Omit<Asked, 'operation'> {
  body?: Record<string, unknown>
  if_match?: string
  /** Tells a call from an equal one that is meant to be done too. */
  repeat?: string | number
}

/** `dry`: it is run to its end, and taken back. */
export type Way = 'dry'

/** Sends a change. The Idempotency-Key of a POST is made of the call itself: an agent that got no answer sends it again. */
export function write(caller: Caller, operation: Operation, change: Change, way?: Way): Promise<InnerReply> {
  const { path = {}, query = {}, body, if_match, repeat = '' } = change
  const sorted = body && JSON.stringify(inOrder(body))
  const call = JSON.stringify([operation.id, inOrder(path), inOrder(query), sorted ?? '', repeat])
  return request(
    caller,
    operation,
    { path, query },
    {
      body: sorted,
      headers: {
        ...(way === 'dry' ? { 'dry-run': 'true' } : { 'idempotency-key': `mcp-${sha256(call).toString('base64url')}` }),
        ...(if_match === undefined ? {} : { 'if-match': quoted(if_match) }),
      },
    },
  )
}

/** An ETag is a text in quotes, which get lost on the way now and then. */
const quoted = (etag: string) => (/^[\w-]+$/.test(etag) ? `"${etag}"` : etag)

/** Fields by their names, so that equal calls are equal texts. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, inOrder(inner)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
