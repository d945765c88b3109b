/** Mutating calls: idempotent when repeated, and only in the state that the agent has read. */
import type { InnerReply } from '#kernel/http/in-process.ts'
import { sha256 } from '#kernel/secrets/secrets.ts'
import { type Asked, request } from './calling.ts'
import type { Caller, Operation } from './operations.ts'

export interface Change extends Omit<Asked, 'operation'> {
  body?: Record<string, unknown>
  if_match?: string
  /** Distinguishes an intended repetition from a retry. */
  repeat?: string | number
}

/** `dry`: the call is executed and rolled back. */
export type Way = 'dry'

/** Sends a mutation. The Idempotency-Key of a POST is derived from the call, so an agent without a reply can send it again. */
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

/** An ETag is a quoted text; agents sometimes drop the quotes. */
const quoted = (etag: string) => (/^[\w-]+$/.test(etag) ? `"${etag}"` : etag)

/** Sorts fields by name, so that equal calls have equal texts. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, inOrder(inner)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
