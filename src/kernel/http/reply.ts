/** Envelope of both APIs, serialised by the reply's schema: fields outside the schema can't leak. */
import type fastJsonStringify from 'fast-json-stringify'
import { z } from 'zod'
import { onDemand } from '../on-demand.ts'
import { PageText } from '../records/page-text.ts'
import { JsonText } from '../records/view.ts'
import { kindOf } from '../values/fields.ts'
import type { Route } from './route.ts'

const PageMeta = z
  .object({
    current_page: z.int(),
    last_page: z.int(),
    per_page: z.int(),
    total: z.int(),
    total_is_floor: z.literal(true).optional().meta({
      description: 'There are at least `total`: a search or filter that matches very many rows is counted so far only.',
    }),
    incomplete: z.array(z.int()).optional().meta({
      description:
        'On a cluster of databases, ids of workspaces in the page whose machine can’t be reached: what is made of their data is null.',
    }),
    next_page_url: z.string().nullable(),
    prev_page_url: z.string().nullable(),
  })
  .meta({ id: 'PageMeta' })

/** Returns the schema of a route's full reply. */
export function envelopeOf({ page, reply, meta }: Route['spec']) {
  const data = reply ?? z.null()
  return z.object({
    status: z.literal('success').describe('Always `success`.'),
    message: z.string(),
    data: page ? z.array(page) : meta ? data.nullable() : data,
    meta: page ? PageMeta : (meta ?? z.null()),
  })
}

/** Returns a function that writes the envelope around a result. JSON rendered by the database is inserted unchanged. */
export function envelopeWriter(route: Route) {
  let compiled: ((envelope: object) => string) | undefined
  const write = (envelope: object) => (compiled ??= serializerOf(route))(envelope)
  const around = (message: string, data: string, meta: unknown) =>
    `{"status":"success","message":${JSON.stringify(message)},"data":${data},"meta":${JSON.stringify(meta)}}`

  return (message: string, data: unknown, meta: unknown = null) =>
    data instanceof JsonText || data instanceof PageText
      ? around(message, data.text, meta)
      : write({ status: 'success', message, data: data ?? null, meta })
}

const serializerFactory = onDemand<typeof fastJsonStringify>('fast-json-stringify')

/** Compiled on first use: compiling hundreds at startup would take a second. */
function serializerOf(route: Route): (envelope: object) => string {
  const schema = z.toJSONSchema(envelopeOf(route.spec), { io: 'output', target: 'draft-7', unrepresentable: 'any' })
  return serializerFactory()(plain(schema) as any)
}

/**
 * Simplifies a schema for fast-json-stringify, which handles `anyOf` with a slow validator, and nullable types at full speed.
 * Formats and bounds are irrelevant for output.
 */
function plain(schema: any): any {
  if (Array.isArray(schema)) return schema.map(plain)
  if (!schema || typeof schema !== 'object') return schema
  if (Array.isArray(schema.anyOf) && schema.anyOf.length === 2) {
    const other = schema.anyOf.find((option: any) => option.type !== 'null')
    if (schema.anyOf.some((option: any) => option.type === 'null')) return { ...plain(other), nullable: true }
  }
  // A component with its own description (`.describe()`) becomes an `allOf` of one; replies have no other intersections.
  if (schema.allOf) {
    if (schema.allOf.length !== 1) throw new Error('A reply can not be an intersection of schemas.')
    return plain(schema.allOf[0])
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

/**
 * Returns a function that removes from a result the secrets that are shown only once, for storage in a replay; it returns
 * undefined if the route has none.
 */
export function secretsRemover({ reply }: Route['spec']): (result: unknown) => object | undefined {
  const secrets = Object.entries(reply?.shape ?? {}).filter(([, schema]) => kindOf(schema as z.core.$ZodType).shownOnce)
  const blank = Object.fromEntries(secrets.map(([name]) => [name, null]))
  return (result) => (secrets.length && result && typeof result === 'object' ? { ...result, ...blank } : undefined)
}
