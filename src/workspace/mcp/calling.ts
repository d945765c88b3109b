/** Calls an operation for an agent and converts the reply to a tool's result. */
import { callInProcess, type InnerReply } from '#kernel/http/in-process.ts'
import { basePaths } from '#kernel/modules/module.ts'
import { bounded, type Cut, partOf } from './bounded.ts'
import { nearest } from './operation-index.ts'
import { type Caller, type Operation, operationsOf, usableBy } from './operations.ts'

/** Result of a tool: bounded JSON. */
export interface ToolReply {
  isError?: true
  content: { type: 'text'; text: string }[]
}

export const told = (value: unknown): ToolReply => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })

/** An error that the agent can correct and retry. */
export class ToolError extends Error {
  readonly told: object
  constructor(message: string, more: object = {}) {
    super(message)
    this.told = { message, ...more }
  }
}

export type Scalar = string | number | boolean
export interface Asked {
  operation: string
  path?: Record<string, string | number>
  query?: Record<string, Scalar | Scalar[]>
}

/**
 * Returns an operation by id; otherwise throws an error with the most similar ids. Missing permissions are reported when it is
 * called.
 */
export async function operationCalled(caller: Caller, id: string): Promise<Operation> {
  const operation = (await operationsOf(caller.services.modules)).get(id)
  return operation ?? notOffered(caller, id)
}

/** The same among the operations that the caller may use; others are not disclosed. */
export async function operationTold(caller: Caller, id: string): Promise<Operation> {
  const operation = (await usableBy(caller)).find((one) => one.id === id)
  return operation ?? notOffered(caller, id)
}

async function notOffered(caller: Caller, id: string): Promise<never> {
  const usable = await usableBy(caller)
  const same = usable.filter((one) => one.id.toLowerCase() === id.toLowerCase())
  const near = new Set([...same, ...(await nearest(caller.services.modules, usable, id))].map((one) => one.id))
  throw new ToolError('No operation is offered by this id: find_operations tells which there are.', {
    nearest: [...near].slice(0, 5),
  })
}

/** Maximum size of a reply: it is parsed on the event loop, and a tool shows a hundredth of it. */
const MAX_REPLY_BYTES = 4 * 1024 * 1024

export interface Extra {
  headers?: Record<string, string>
  body?: string
  maxBytes?: number
}

/** Sends the request; the service authorises it like any other. */
export function request(caller: Caller, operation: Operation, asked: Omit<Asked, 'operation'>, extra: Extra = {}) {
  const { headers, body, maxBytes = MAX_REPLY_BYTES } = extra
  return callInProcess(caller, {
    method: operation.route.method,
    url: basePaths.workspace + pathOf(operation, asked.path ?? {}) + queryOf(asked.query ?? {}),
    headers: { ...caller.credentials, prefer: 'handling=strict', ...headers },
    body,
    client: caller.client,
    isAgent: true,
    maxBytes,
  })
}

function pathOf({ path }: Operation, values: Record<string, string | number>): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const wrong = [
    ...names.filter((name) => !Object.hasOwn(values, name)).map((name) => [`path.${name}`, ['Is required.']]),
    ...Object.keys(values)
      .filter((name) => !names.includes(name))
      .map((name) => [`path.${name}`, [names.length ? `Is no part of ${path}.` : `${path} has no such part.`]]),
  ]
  if (wrong.length) throw new ToolError('What the path names is not right.', { errors: Object.fromEntries(wrong) })
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name])
    // A segment of dots would be resolved as a parent path, and so reach another operation.
    if (/^\.{0,2}$/.test(value) || !value.isWellFormed())
      throw new ToolError('What the path names is not right.', { errors: { [`path.${name}`]: ['Names nothing.'] } })
    return encodeURIComponent(value)
  })
}

function queryOf(query: NonNullable<Asked['query']>): string {
  const params = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, [value].flat().join(',')]))
  return params.size ? `?${params}` : ''
}

export interface Shown {
  /** Fields to return of each record. */
  fields?: string[]
  at?: string
  from?: number
}

/** Converts the service's reply to a bounded result: the envelope without empty parts; an error as an error. */
export function answered(reply: InnerReply, shown: Shown = {}): ToolReply {
  const envelope = envelopeOf(reply)
  if (reply.status >= 400) return { isError: true, ...told(bounded({ http_status: reply.status, ...envelope }).value) }
  const { etag, 'idempotency-replayed': replayed } = reply.headers
  const whole = { ...envelope, ...(shown.fields ? { data: picked(envelope.data, shown.fields) } : {}) }
  const { value, cuts } = shown.at === undefined ? bounded(whole) : partShown(whole, shown.at, shown.from ?? 0)
  return told({
    http_status: reply.status,
    ...(etag ? { etag } : {}),
    ...(replayed ? { replayed: REPLAYED } : {}),
    ...(shown.at === undefined ? (value as object) : { at: shown.at, from: shown.from ?? 0, part: value }),
    ...readOn(cuts),
  })
}

const REPLAYED =
  'This very call was made within the last 24 hours: nothing was done now, and this is what was answered then. To do it once more, send it with another `repeat`.'

/** Returns the cuts and how to read on. */
export const readOn = (cuts: Cut[]) =>
  cuts.length
    ? { cut: cuts, how_to_read_on: 'Call again with the same arguments and `at` of a cut, `from` its `shown`; or ask for less.' }
    : {}

function partShown(whole: object, at: string, from: number) {
  const part = partOf(whole, at, from)
  if (part === undefined)
    throw new ToolError('The reply has no such part.', {
      errors: { at: [`Must be a path such as data.0.notes, not ${at.slice(0, 100)}.`] },
    })
  return bounded(part, { at, from })
}

/** Returns the reply's envelope without empty parts. */
export function envelopeOf({ body, isCut, headers }: InnerReply): Record<string, any> {
  if (isCut) throw new ToolError('The reply is too large: ask for less, with per_page or filters.')
  try {
    const { status: _, meta, message, ...rest } = JSON.parse(body.toString('utf8'))
    const retry = headers['retry-after']
    return { message, ...rest, ...(meta === null ? {} : { meta }), ...(retry ? { retry_after_seconds: Number(retry) } : {}) }
  } catch {
    throw new ToolError('The reply is no JSON.')
  }
}

function picked(data: unknown, fields: string[]): unknown {
  if (Array.isArray(data)) return data.map((row) => picked(row, fields))
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).filter(([name]) => fields.includes(name)))
}
