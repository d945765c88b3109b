/** JSON Schemas of routes' inputs, as in the API documents but without references. */
import { z } from 'zod'
import type { Schema } from '../contract/values.ts'

/** Returns a schema's input as JSON Schema without references. */
export function schemaOf(schema: z.core.$ZodType): Schema {
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-2020-12' }) as any
  const inlined = (node: any): any => {
    if (Array.isArray(node)) return node.map(inlined)
    if (!node || typeof node !== 'object') return node
    if (node.$ref) return inlined(whole.$defs[node.$ref.split('/').at(-1)])
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value)]))
  }
  const { $defs: _, ...rest } = whole
  return inlined(rest)
}

/** Listings wrap their query object to drop blank values. */
export const queryOf = (schema: any): Schema => (schema.def?.type === 'pipe' ? queryOf(schema.def.out) : schemaOf(schema))
