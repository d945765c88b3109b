/** Requests as they go over the wire. */
import { formOf } from '../../harness.ts'
import { addressOf, type Request } from '../requests.ts'
import { written } from './hostile.ts'
import type { Random } from './random.ts'

/** A request as it goes over the wire. */
export interface Attack {
  /** What is wrong with it, for people. */
  what: string
  method: string
  url: string
  headers: Record<string, string>
  payload?: string | Buffer | FormData
}

/** The request as it is. */
export function plain(request: Request, what = 'valid'): Attack {
  const { operation, query, headers, token, body, raw } = request
  const form = formOf(body && asTexts(body))
  const json = body !== undefined && !form
  return {
    what,
    method: operation.method,
    url: `${addressOf(request)}${Object.keys(query).length ? `?${new URLSearchParams(query)}` : ''}`,
    headers: {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(json ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(raw ? { payload: raw } : form ? { payload: form } : json ? { payload: written(body) } : {}),
  }
}

/** What a form can send: an object as its JSON. */
const asTexts = (body: object) =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? value.map(asText) : asText(value)]),
  )
const asText = (value: unknown) => (value && typeof value === 'object' && !(value instanceof Blob) ? written(value) : value)

/** A worse request of one kind; undefined where the request has nothing of the kind. */
export type Kind = (request: Request, random: Random) => Attack | undefined
