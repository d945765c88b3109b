/**
 * Formatted texts of a body that are long together are sanitised in a child before the body's schema does so here: the worst HTML takes
 * some 40 ms for each 65,000 characters, and a megabyte of it would hold up everybody.
 */
import type { z } from 'zod'
import type { Services } from '../context.ts'
import { invalid } from '../errors.ts'
import { isBeyondReading, isolated } from '../isolate/isolated.ts'
import { isFormattedText, type sanitizeAll, sanitizedAhead, sanitizeHtml } from '../values/html.ts'
import { definitionOf } from '../values/schema-definition.ts'

/** So many characters are sanitised here, each time that they stand in the body. */
const MAX_HERE = 16_384

const sanitizeInChild = isolated<typeof sanitizeAll>(import.meta.resolve('../values/html.ts'), 'sanitizeAll', {
  seconds: 10,
  megabytes: 500,
})

/**
 * Makes the body's formatted texts ready for its schema; gives what forgets them again when the request is done. 422 on the first of
 * them where they can't be read in time.
 */
export async function sanitizeAhead(services: Services, workspace: number, schema: z.core.$ZodType | undefined, body: unknown) {
  const names = schema && namesOf(schema)
  if (!names?.size) return nothing
  const found = new Map<string, string>()
  if (gather(body, [], names, found) <= MAX_HERE) return nothing
  const texts = [...found.keys()]
  try {
    return sanitizedAhead(texts, await sanitizeInChild(services, workspace, texts))
  } catch (error) {
    if (!isBeyondReading(error)) throw error
    throw invalid({ [found.get(texts[0]!)!]: 'Its HTML is more than can be read.' })
  }
}

const nothing = () => {}

const known = new WeakMap<z.core.$ZodType, Set<string>>()
/** What the formatted texts of a schema are called, wherever they stand in it. */
const namesOf = (schema: z.core.$ZodType) =>
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

const MAX_DEPTH = 8

/** Texts under these names, each with its path. How long they are together, as often as they stand there. */
function gather(value: unknown, path: string[], names: Set<string>, found: Map<string, string>): number {
  if (typeof value === 'string') {
    if (!names.has(path.at(-1) ?? '')) return 0
    if (!found.has(value)) found.set(value, path.join('.'))
    return value.length
  }
  if (typeof value !== 'object' || value === null || path.length >= MAX_DEPTH) return 0
  return Object.entries(value).reduce((sum, [key, inner]) => sum + gather(inner, [...path, key], names, found), 0)
}

/** The texts of a page, sanitised: in a child where they are long together. Gives what each of them became. */
export async function sanitizedTexts(
  services: Pick<Services, 'isolation'>,
  workspace: number,
  texts: string[],
): Promise<(html: string) => string> {
  const distinct = [...new Set(texts)]
  if (distinct.reduce((sum, text) => sum + text.length, 0) <= MAX_HERE) return sanitizeHtml
  const clean = await sanitizeInChild(services, workspace, distinct)
  const became = new Map(distinct.map((text, n) => [text, clean[n]!]))
  return (html) => became.get(html) ?? sanitizeHtml(html)
}
