/** Requests in the form that is sent. */
import { formOf } from '../../harness.ts'
import { addressOf, type Request } from '../requests.ts'
import { written } from './hostile.ts'
import type { Random } from './random.ts'

/** A request in the form that is sent. */
export interface Attack {
  /** Description of the mutation. */
  what: string
  method: string
  url: string
  headers: Record<string, string>
  payload?: string | Buffer | FormData
}

/** Converts a request unchanged. */
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

/** Converts values for a form: objects as JSON. */
const asTexts = (body: object) =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? value.map(asText) : asText(value)]),
  )
const asText = (value: unknown) => (value && typeof value === 'object' && !(value instanceof Blob) ? written(value) : value)

/** A mutation of one kind; undefined where it doesn't apply to the request. */
export type Kind = (request: Request, random: Random) => Attack | undefined
