/**
 * `Prefer: handling=strict` (RFC 7240): a query parameter that a route doesn't know is a 422 that names it. Without it such parameters are
 * ignored, as clients that were written for a later or an earlier version expect.
 */
import { closest } from 'fastest-levenshtein'
import type { z } from 'zod'
import { invalid } from '../errors.ts'
import { definitionOf, partOfPipe } from '../values/schema-definition.ts'

/** Whether a request's `Prefer` asks for it, among whatever else it prefers. */
export const isStrict = (prefer: string | string[] | undefined) =>
  prefer !== undefined && /(^|[,;])\s*handling\s*=\s*"?strict"?\s*($|[,;])/i.test(String(prefer).slice(0, 1000))

/** 422 on each parameter that is none of the schema's, with the nearest that is. */
export function refuseUnknown(schema: z.core.$ZodType | undefined, query: unknown) {
  const known = schema ? namesIn(schema) : []
  const unknown = Object.keys((query ?? {}) as object).filter((name) => !known.includes(name))
  if (!unknown.length) return
  const instead = (name: string) =>
    known.length
      ? `Is no such parameter; the nearest is ${closest(name.slice(0, 100), known)}.`
      : 'Is no such parameter: this takes none.'
  throw invalid(Object.fromEntries(unknown.map((name) => [name, instead(name)])))
}

const namesIn = (schema: z.core.$ZodType): string[] => {
  const definition = definitionOf(schema)
  if (definition.type === 'pipe') return namesIn(partOfPipe(definition))
  if (definition.innerType) return namesIn(definition.innerType)
  return Object.keys(definition.shape ?? {})
}
