/** Checks references in request bodies: each field that refers to a record (`ref('vendor')`) is looked up before it is stored. */
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { invalid } from '../errors.ts'
import { referable, subjectOf } from '../modules/subjects.ts'
import type { SubjectType } from '../names.ts'
import { kindOf } from '../values/fields.ts'
import { definitionOf } from '../values/schema-definition.ts'
import { kindKey, type NamedKind } from './naming.ts'

interface Named extends NamedKind {
  field: string
  type: SubjectType
  id: number
}

/**
 * Throws 422 on every field whose record doesn't exist, isn't live, or isn't visible to the actor (for a picker: may not be
 * referenced). All cases have the same message. Runs one query per type, two if the type has both picker fields and others.
 * `before` is the stored row: references it already has may stay, even to deleted records.
 */
export async function checkReferences(ctx: Ctx, schema: z.core.$ZodType, body: object, before: object = {}) {
  const named = [...namedIn(schema, body, '')].filter(({ field, id }) => (before as Record<string, unknown>)[field] !== id)
  if (!named.length) return
  const kinds = Map.groupBy(named, kindKey)
  const found = new Map(
    await Promise.all(
      [...kinds].map(async ([kind, all]) => {
        const [{ type, picker }] = all as [Named]
        const ids = all.map(({ id }) => id)
        return [kind, await referable(ctx, type, ids, { picker })] as const
      }),
    ),
  )
  const wrong = named.filter((one) => !found.get(kindKey(one))!.has(one.id))
  if (wrong.length) throw invalid(Object.fromEntries(wrong.map(({ field, type }) => [field, refusal(ctx, type)])))
}

function refusal(ctx: Ctx, type: SubjectType) {
  const subject = subjectOf(ctx, type)
  const noun = subject?.noun ?? type
  return subject?.entitled(ctx)
    ? `There is no such ${noun} in this workspace that you may use.`
    : `There is no such ${noun}: its module is not installed in this workspace.`
}

/** Yields all references in a value with their dotted field names, at any depth of the schema. */
function* namedIn(schema: z.core.$ZodType, value: unknown, field: string): Generator<Named> {
  if (value === null || value === undefined) return
  const { refers, picker } = kindOf(schema)
  if (refers) return yield { field, type: refers, picker, id: value as number }
  const inner = bare(schema)
  const at = (name: string | number) => (field ? `${field}.${name}` : String(name))
  if (inner instanceof z.ZodArray)
    for (const [n, one] of (value as unknown[]).entries()) yield* namedIn(inner.element as z.core.$ZodType, one, at(n))
  else if (inner instanceof z.ZodObject)
    for (const [name, one] of Object.entries(inner.shape))
      yield* namedIn(one as z.core.$ZodType, (value as Record<string, unknown>)[name], at(name))
}

function bare(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType, in: before } = definitionOf(schema)
  return innerType ? bare(innerType) : before && !(schema instanceof z.ZodObject) ? bare(before) : schema
}
