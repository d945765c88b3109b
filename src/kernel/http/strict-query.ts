/**
 * `Prefer: handling=strict` (RFC 7240): unknown query parameters get a 422 that names them. Without it they are ignored, as
 * clients written for an earlier or later version expect.
 */
import { closest } from 'fastest-levenshtein'
import type { z } from 'zod'
import { invalid } from '../errors.ts'
import { definitionOf, partOfPipe } from '../values/schema-definition.ts'

/** Whether a request's `Prefer` header contains `handling=strict`, among other preferences. */
export const isStrict = (prefer: string | string[] | undefined) =>
  prefer !== undefined && /(^|[,;])\s*handling\s*=\s*"?strict"?\s*($|[,;])/i.test(String(prefer).slice(0, 1000))

/** Throws 422 for each parameter that the schema doesn't have, with the nearest name that it has. */
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
