/** References to records in a request outside of its path: in its body, including nested ones, and in its query. */
import type { Operation } from './operations.ts'
import type { Body, Request, Requests } from './requests.ts'
import { bare, type Schema } from './values.ts'

export interface Reference {
  /** `lines.0.product_id` */
  field: string
  /** The record type: `product`. */
  kind: string
  by: 'id' | 'uuid'
  /** Whether the field accepts a record that the caller may not view. */
  picker: boolean
}

/** Returns the body fields that the document declares as references. */
export function referencesIn(operation: Operation): Reference[] {
  const schema = operation.bodies['multipart/form-data'] ?? operation.bodies['application/json']
  return schema ? within(schema, []) : []
}

function within(schema: Schema, path: string[]): Reference[] {
  const one = bare(schema)
  const kind = one['x-refers-to']
  if (kind) return [{ field: path.join('.'), kind, by: one.format === 'uuid' ? 'uuid' : 'id', picker: one['x-picker'] === true }]
  if (one.items) return within(one.items, [...path, '0'])
  return Object.entries(one.properties ?? {}).flatMap(([name, field]) => within(field, [...path, name]))
}

/** Returns the query parameters that it declares as references. */
export const queryReferences = ({ parameters }: Operation): Reference[] =>
  parameters.flatMap(({ in: where, name, schema }) => {
    const { 'x-refers-to': kind, 'x-picker': picker = false, format } = bare(schema)
    return where === 'query' && kind ? [{ field: name, kind, by: format === 'uuid' ? 'uuid' : 'id', picker }] : []
  })

/** Returns a value for a reference: a record's id or uuid. */
export const nameOf = async ({ kind, by }: Reference, requests: Requests) => (await requests.recordOf(kind))[by]

/** Values that match no record. */
export const NOTHING = { id: 999_999, uuid: '00000000-0000-4000-8000-000000000000' }

/** Returns the request with another value in a field of its body; creates missing objects and lists around it. */
export function withField(request: Request, field: string, value: unknown): Request {
  const body: Body = structuredClone(request.body ?? {})
  const steps = field.split('.')
  let at: any = body
  for (const [n, step] of steps.slice(0, -1).entries()) at = at[step] ??= steps[n + 1] === '0' ? [] : {}
  at[steps.at(-1)!] = value
  return { ...request, body }
}
