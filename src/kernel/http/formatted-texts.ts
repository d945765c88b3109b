/**
 * Formatted texts of a body that are long together are sanitised in a child before the body's schema does so here: the worst HTML takes
 * some 40 ms for each 65,000 characters, and a megabyte of it would hold up everybody.
 */
import type { z } from 'zod'
import type { Services } from '../context.ts'
import { invalid } from '../errors.ts'
import { isBeyondReading, isolated } from '../isolate/isolated.ts'
import { isFormattedText, type sanitizeAll, sanitizedAhead } from '../values/html.ts'

/** So many characters are sanitised here. */
const MAX_HERE = 65_535

const sanitizeInChild = isolated<typeof sanitizeAll>(import.meta.resolve('../values/html.ts'), 'sanitizeAll', {
  seconds: 10,
  megabytes: 500,
})

/**
 * Makes the body's formatted texts ready for its schema; gives what forgets them again when the request is done. 422 on the first of
 * them where they can't be read in time.
 */
export async function sanitizeAhead(services: Services, workspace: number, schema: z.ZodType | undefined, body: unknown) {
  const names = schema && namesOf(schema)
  if (!names?.size) return nothing
  const found = new Map<string, string>()
  gather(body, [], names, found)
  const texts = [...found.keys()]
  if (texts.reduce((sum, text) => sum + text.length, 0) <= MAX_HERE) return nothing
  try {
    return sanitizedAhead(texts, await sanitizeInChild(services, workspace, texts))
  } catch (error) {
    if (!isBeyondReading(error)) throw error
    throw invalid({ [found.get(texts[0]!)!]: 'Its HTML is more than can be read.' })
  }
}

const nothing = () => {}

const known = new WeakMap<z.ZodType, Set<string>>()
/** What the formatted texts of a schema are called, wherever they stand in it. */
const namesOf = (schema: z.ZodType) =>
  known.getOrInsertComputed(schema, () => {
    const names = new Set<string>()
    collect(schema, '', names)
    return names
  })

function collect(schema: z.ZodType, name: string, names: Set<string>) {
  if (isFormattedText(schema)) names.add(name)
  const { def } = schema as unknown as {
    def: Record<string, unknown> & { shape?: Record<string, z.ZodType>; options?: z.ZodType[] }
  }
  for (const [inner, field] of Object.entries(def.shape ?? {})) collect(field, inner, names)
  for (const one of [def.innerType, def.element, def.valueType, def.in, def.out, ...(def.options ?? [])])
    if (one) collect(one as z.ZodType, name, names)
}

const MAX_DEPTH = 8

/** Texts under these names, each with its path. */
function gather(value: unknown, path: string[], names: Set<string>, found: Map<string, string>) {
  if (typeof value === 'string') {
    if (names.has(path.at(-1) ?? '') && !found.has(value)) found.set(value, path.join('.'))
  } else if (typeof value === 'object' && value !== null && path.length < MAX_DEPTH)
    for (const [key, inner] of Object.entries(value)) gather(inner, [...path, key], names, found)
}
