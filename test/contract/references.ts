/** Where a request names records, besides its path: in its body, also in lists and nested, and in its query. */
import type { Operation } from './operations.ts'
import type { Body, Request, Requests } from './requests.ts'
import { bare, type Schema } from './values.ts'

export interface Reference {
  /** `lines.0.product_id` */
  field: string
  /** The kind of record: `product`. */
  kind: string
  by: 'id' | 'uuid'
  /** Whether the field may name a record that the caller may not view. */
  picker: boolean
}

/** Fields of the body that the document says to name a record. */
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

/** Parameters of the query that do. */
export const queryReferences = ({ parameters }: Operation): Reference[] =>
  parameters.flatMap(({ in: where, name, schema }) => {
    const { 'x-refers-to': kind, 'x-picker': picker = false, format } = bare(schema)
    return where === 'query' && kind ? [{ field: name, kind, by: format === 'uuid' ? 'uuid' : 'id', picker }] : []
  })

/** What a reference says to name a record: its id, or its uuid. */
export const nameOf = async ({ kind, by }: Reference, requests: Requests) => (await requests.recordOf(kind))[by]

/** What names nothing. */
export const NOTHING = { id: 999_999, uuid: '00000000-0000-4000-8000-000000000000' }

/** The request with another value in a field of its body; the objects and lists around it are made where they are missing. */
export function withField(request: Request, field: string, value: unknown): Request {
  const body: Body = structuredClone(request.body ?? {})
  const steps = field.split('.')
  let at: any = body
  for (const [n, step] of steps.slice(0, -1).entries()) at = at[step] ??= steps[n + 1] === '0' ? [] : {}
  at[steps.at(-1)!] = value
  return { ...request, body }
}
