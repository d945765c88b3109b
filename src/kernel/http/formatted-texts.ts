/**
 * Sanitises long formatted texts in a child process before a schema reads them: the worst HTML takes some 40 ms per 65,000
 * characters, and a megabyte would block every other request. A schema that reads such texts without this throws
 * (`values/html.ts`).
 */
import type { z } from 'zod'
import type { Services } from '../context.ts'
import { invalid } from '../errors.ts'
import { isBeyondReading, isolated } from '../isolate/isolated.ts'
import { isFormattedText, MAX_ON_LOOP, type sanitizeAll, sanitizeHtml, withSanitized } from '../values/html.ts'
import { definitionOf } from '../values/schema-definition.ts'

const sanitizeInChild = isolated<typeof sanitizeAll>(import.meta.resolve('../values/html.ts'), 'sanitizeAll', {
  seconds: 10,
  megabytes: 500,
})

type Schema = z.core.$ZodType | undefined
const NONE: ReadonlyMap<string, string> = new Map()

/** Runs `work`, after sanitising the formatted texts of `value` that its schemas read. Throws 422 as `sanitizeFormatted`. */
export async function sanitizedAhead<T>(
  services: Pick<Services, 'isolation'>,
  workspace: number,
  schemas: Schema[],
  value: unknown,
  work: () => Promise<T>,
): Promise<T> {
  const results = await sanitizeFormatted(services, workspace, schemas, value)
  return results.size ? withSanitized(results, work) : work()
}

/**
 * Returns the formatted texts of `value` by these schemas, each with its sanitised form. Empty if they are short in total: then
 * the schemas sanitise them. Throws 422 on the first text if they can't be sanitised in time.
 */
export async function sanitizeFormatted(
  services: Pick<Services, 'isolation'>,
  workspace: number,
  schemas: Schema[],
  value: unknown,
): Promise<ReadonlyMap<string, string>> {
  const names = new Set(schemas.flatMap((schema) => (schema ? [...formattedNames(schema)] : [])))
  const found = new Map<string, string>()
  if (!names.size || gather(value, [], names, found) <= MAX_ON_LOOP) return NONE
  const texts = [...found.keys()]
  try {
    const results = await sanitizeInChild(services, workspace, texts)
    return new Map(texts.map((text, n) => [text, results[n]!]))
  } catch (error) {
    if (!isBeyondReading(error)) throw error
    throw invalid({ [found.get(texts[0]!)!]: 'Its HTML is more than can be read.' })
  }
}

const known = new WeakMap<z.core.$ZodType, Set<string>>()
/** Names of a schema's formatted text fields, at any depth. */
export const formattedNames = (schema: z.core.$ZodType) =>
  known.getOrInsertComputed(schema, () => {
    const names = new Set<string>()
    collect(schema, '', names)
    return names
  })

function collect(schema: z.core.$ZodType, name: string, names: Set<string>) {
  if (isFormattedText(schema)) names.add(name)
  const def = definitionOf(schema)
  for (const [inner, field] of Object.entries(def.shape ?? {})) collect(field, inner, names)
  for (const one of [def.innerType, def.element, def.valueType, def.in, def.out, ...(def.options ?? [])])
    if (one) collect(one, name, names)
}

/** Maximum depth of formatted texts in any schema, including schemas whose bodies are rows of a list. */
const MAX_DEPTH = 8

/** Collects texts under these names, each with its path. Returns their total length, counting duplicates. */
function gather(value: unknown, path: string[], names: Set<string>, found: Map<string, string>): number {
  if (typeof value === 'string') {
    if (!names.has(path.at(-1) ?? '')) return 0
    if (!found.has(value)) found.set(value, path.join('.'))
    return value.length
  }
  if (typeof value !== 'object' || value === null || path.length >= MAX_DEPTH) return 0
  return Object.entries(value).reduce((sum, [key, inner]) => sum + gather(inner, [...path, key], names, found), 0)
}

/**
 * Sanitises the texts of a page, in a child process if they are long in total. Returns a function from a text to its sanitised
 * form.
 */
export async function sanitizedTexts(
  services: Pick<Services, 'isolation'>,
  workspace: number,
  texts: string[],
): Promise<(html: string) => string> {
  const distinct = [...new Set(texts)]
  if (distinct.reduce((sum, text) => sum + text.length, 0) <= MAX_ON_LOOP) return sanitizeHtml
  const clean = await sanitizeInChild(services, workspace, distinct)
  const became = new Map(distinct.map((text, n) => [text, clean[n]!]))
  return (html) => became.get(html) ?? sanitizeHtml(html)
}
