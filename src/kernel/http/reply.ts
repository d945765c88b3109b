/** One envelope for both APIs, serialised by the reply's schema: what the schema doesn't name cannot leave. */
import fastJsonStringify from 'fast-json-stringify'
import { z } from 'zod'
import type { Route } from './route.ts'

export interface Envelope {
  status: 'success' | 'error'
  message: string
  data: unknown
  meta: unknown
}

const PageMeta = z.object({
  current_page: z.int(),
  last_page: z.int(),
  per_page: z.int(),
  total: z.int(),
  next_page_url: z.string().nullable(),
  prev_page_url: z.string().nullable(),
})

/** The schema of a route's whole reply. */
export function envelopeOf({ page, reply }: Route['spec']) {
  return z.object({
    status: z.literal('success'),
    message: z.string(),
    data: page ? z.array(page) : (reply ?? z.null()),
    meta: page ? PageMeta : z.null(),
  })
}

/** The serialiser of a route's reply, compiled when it is first needed: hundreds of them would cost the start a second. */
export function serializerOf(route: Route): (envelope: Envelope) => string {
  let compiled: ((envelope: Envelope) => string) | undefined
  return (envelope) => {
    compiled ??= fastJsonStringify(
      plain(z.toJSONSchema(envelopeOf(route.spec), { io: 'output', target: 'draft-7', unrepresentable: 'any' })) as any,
    )
    return compiled(envelope)
  }
}

/** fast-json-stringify checks `anyOf` slowly with a validator; a nullable type it writes at full speed. Formats and bounds don't matter on the way out. */
function plain(schema: any): any {
  if (Array.isArray(schema)) return schema.map(plain)
  if (!schema || typeof schema !== 'object') return schema
  if (Array.isArray(schema.anyOf) && schema.anyOf.length === 2) {
    const other = schema.anyOf.find((option: any) => option.type !== 'null')
    if (schema.anyOf.some((option: any) => option.type === 'null')) return { ...plain(other), nullable: true }
  }
  const { type, properties, items, required, additionalProperties, anyOf, $ref, definitions } = schema
  return Object.fromEntries(
    Object.entries({
      type,
      $ref,
      required,
      properties: properties && Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, plain(value)])),
      definitions: definitions && Object.fromEntries(Object.entries(definitions).map(([key, value]) => [key, plain(value)])),
      items: items && plain(items),
      anyOf: anyOf && plain(anyOf),
      additionalProperties: typeof additionalProperties === 'object' ? plain(additionalProperties) : undefined,
    }).filter(([, value]) => value !== undefined),
  )
}
