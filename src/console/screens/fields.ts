/** Derives a screen's field from the schema that validates or displays it. */
import { z } from 'zod'
import type { UploadRules } from '#kernel/http/multipart.ts'
import { embedOf } from '#kernel/records/view.ts'
import { kindOf } from '#kernel/values/fields.ts'
import { type Definition, definitionOf } from '#kernel/values/schema-definition.ts'
import { humanised, plural } from '#kernel/values/words.ts'
import type { Field, FieldKind } from './screen.ts'

type Schema = z.core.$ZodType

/** Returns the screen that lists records of a type. */
export type ScreenOf = (resource: string) => string | null

/** Length from which a text is shown as multi-line. */
const LONG_TEXT = 1000

/** A schema without its wrappers, and the properties of these. */
interface Bare {
  schema: Schema
  type: Definition
  meta: Record<string, any>
  isOptional: boolean
  isNullable: boolean
  initial?: unknown
  maxLength?: number
  min?: number
  max?: number
}

function bareOf(schema: Schema): Bare {
  const bare: Bare = { schema, type: definitionOf(schema), meta: {}, isOptional: false, isNullable: false }
  for (let at: Schema | undefined = schema; at; ) {
    const type = definitionOf(at)
    bare.meta = { ...z.globalRegistry.get(at), ...bare.meta }
    for (const check of type.checks ?? []) {
      const { check: kind, maximum } = check._zod.def
      const { value } = check._zod.def as { value?: number }
      if (kind === 'max_length') bare.maxLength ??= maximum
      if (kind === 'greater_than') bare.min ??= value
      if (kind === 'less_than') bare.max ??= value
    }
    bare.schema = at
    bare.type = type
    if (type.type === 'optional') bare.isOptional = true
    if (type.type === 'nullable') bare.isNullable = true
    if (type.type === 'default' || type.type === 'prefault') {
      bare.isOptional = true
      bare.initial = (type as { defaultValue?: unknown }).defaultValue
    }
    // For a pipe the input schema counts, or else the output of a transform.
    at = type.type === 'pipe' ? (definitionOf(type.in!).type === 'transform' ? type.out : type.in) : type.innerType
  }
  return bare
}

const FORMATS: Record<string, FieldKind> = {
  date: 'date',
  datetime: 'instant',
  'date-time': 'instant',
  time: 'time',
  email: 'email',
  phone: 'phone',
  uri: 'url',
  url: 'url',
  website: 'url',
  html: 'html',
  currency: 'currency',
  timezone: 'timezone',
  uuid: 'uuid',
  money: 'money',
  quantity: 'quantity',
  percentage: 'percentage',
}

const enumValues = ({ type }: Bare) =>
  type.type === 'enum'
    ? Object.values((type as unknown as { entries: Record<string, string> }).entries)
    : type.type === 'literal'
      ? (type as unknown as { values: unknown[] }).values.filter(
          (value) => typeof value === 'string' || typeof value === 'number',
        )
      : []

const optionsOf = (values: (string | number)[], words: Readonly<Record<string, string>> = {}) =>
  values.map((value) => ({ value, label: words[value] ?? humanised(String(value)) }))

function textKind(name: string, { schema, maxLength }: Bare): FieldKind {
  if (/(^|_)colou?r$/.test(name)) return 'colour'
  if (/(^|_)password(_confirmation)?$/.test(name)) return 'secret'
  return kindOf(schema).long || (maxLength ?? 0) >= LONG_TEXT ? 'long_text' : 'text'
}

function kindOfBare(name: string, bare: Bare): FieldKind {
  const { type, meta } = bare
  const format = FORMATS[meta.format ?? (type as { format?: string }).format ?? '']
  switch (type.type) {
    case 'boolean':
      return 'boolean'
    case 'number':
    case 'int':
      return format ?? 'number'
    case 'enum':
    case 'literal':
      return 'enum'
    case 'string':
      return format ?? textKind(name, bare)
    case 'object':
      return 'object'
    default:
      return format ?? 'json'
  }
}

/** Returns the record type of a reference by name: `vendor_id` a vendor, `company_ids` companies. */
function recordName(name: string) {
  const [end = '', many] = /_(?:id|uuid)(s?)$/.exec(name) ?? []
  const one = name.slice(0, name.length - end.length)
  return many ? plural(one) : one
}

const labelOf = (name: string, { meta }: Bare, isReference: boolean) =>
  (meta.title as string | undefined) ?? humanised(isReference ? recordName(name) : name)

/** Type of a flag in a filter: text in the query, a boolean for the user. */
const overriddenType = ({ meta }: Bare) => (meta.override as { type?: string } | undefined)?.type

/** Returns the field for a property of a body, reply or query. Nested objects are followed to a depth of three. */
function fieldOf(name: string, schema: Schema, screenOf: ScreenOf, depth = 0): Field {
  const bare = bareOf(schema)
  const { type, meta } = bare
  const field: Field = { name, label: labelOf(name, bare, meta['x-refers-to'] !== undefined), kind: kindOfBare(name, bare) }
  if (meta.description) field.hint = meta.description
  if (bare.isNullable) field.is_nullable = true
  if (bare.initial !== undefined) field.default = bare.initial
  // A flag: a second record is created too, unless `false` is sent.
  if (meta['x-makes']) Object.assign(field, { default: true, makes: targetOf(meta['x-makes'], screenOf) })

  if (type.type === 'union') return unionField(field, bare, screenOf, depth)
  if (overriddenType(bare) === 'boolean') return { ...field, kind: 'boolean' }
  if (meta['x-refers-to']) return { ...field, kind: 'reference', refers_to: targetOf(meta['x-refers-to'], screenOf) }
  if (overriddenType(bare) === 'integer') return { ...field, kind: 'number' }
  if (kindOf(schema).clock) return { ...field, kind: 'time' }

  const values = enumValues(bare)
  const { words } = kindOf(schema)
  if (values.length) field.options = optionsOf(values, words)
  else if (words) field.options = optionsOf(Object.keys(words), words)
  if (field.kind === 'money') field.currency_field = meta['x-currency-field'] ?? 'currency'
  if (type.type === 'number') addBounds(field, bare)
  if (type.type === 'string' && bare.maxLength !== undefined) field.max_length = bare.maxLength
  if (type.type === 'object')
    return depth < 3 ? { ...field, fields: fieldsOf(schema, screenOf, depth + 1) } : { ...field, kind: 'json' }
  if (type.type === 'array') return arrayField(field, bare, screenOf, depth)
  return field
}

function addBounds(field: Field, { type, meta, min, max }: Bare) {
  const [least, most] = [meta.minimum ?? meta.exclusiveMinimum ?? min, meta.maximum ?? max]
  if (typeof least === 'number' && Number.isFinite(least) && least > Number.MIN_SAFE_INTEGER) field.min = least
  if (typeof most === 'number' && Number.isFinite(most) && most < Number.MAX_SAFE_INTEGER) field.max = most
  if (meta.multipleOf) field.decimals = Math.max(0, Math.round(-Math.log10(meta.multipleOf)))
  else if ((type as { format?: string }).format === 'safeint') field.decimals = 0
}

function arrayField(field: Field, { type, meta, maxLength }: Bare, screenOf: ScreenOf, depth: number): Field {
  const entry = bareOf(type.element!)
  if (maxLength !== undefined) field.max_length = maxLength
  if (entry.meta['x-refers-to'])
    return {
      ...field,
      kind: 'references',
      label: labelOf(field.name, entry, true),
      refers_to: targetOf(entry.meta['x-refers-to'], screenOf),
    }
  if (entry.type.type === 'object')
    return depth < 3
      ? { ...field, kind: 'lines', fields: inOrder(fieldsOf(type.element!, screenOf, depth + 1)) }
      : { ...field, kind: 'json' }
  const values = enumValues(entry)
  const choices = meta['x-choices'] as Field['choices']
  return { ...field, kind: 'list', ...(values.length ? { options: optionsOf(values) } : {}), ...(choices ? { choices } : {}) }
}

/** A union: enum values in addition to a reference, or a shape that a screen can't represent. */
function unionField(field: Field, { type, meta }: Bare, screenOf: ScreenOf, depth: number): Field {
  const all = type.options!.map((option) => ({ option, bare: bareOf(option) }))
  const also = all.flatMap(({ bare }) => enumValues(bare))
  const others = all.filter(({ bare }) => !enumValues(bare).length)
  if (!others.length) return { ...field, kind: 'enum', options: optionsOf(also) }
  if (others.length > 1) return { ...field, kind: 'json' }
  const named = meta['x-refers-to'] ? { kind: 'reference' as const, refers_to: targetOf(meta['x-refers-to'], screenOf) } : {}
  const one = { ...fieldOf(field.name, others[0]!.option, screenOf, depth), ...named }
  return { ...one, ...field, kind: one.kind, ...(also.length ? { also: also.map(String) } : {}) }
}

const targetOf = (resource: string, screenOf: ScreenOf) => ({ resource, screen: screenOf(resource) })

/** Returns the properties of a wrapped object schema; undefined for any other schema. */
export function shapeOf(schema: Schema | undefined): Record<string, Schema> | undefined {
  return schema && bareOf(schema).type.shape
}

/** Usual order of a line's columns: name, quantity, price. The rest follows in the order of its schema. */
const LINE = [
  'name',
  'description',
  'quantity',
  'unit_price',
  'discount_value',
  'tax_rate',
  'discount_amount',
  'net',
  'tax',
  'total',
]
const placeOf = ({ name }: Field) => (LINE.includes(name) ? LINE.indexOf(name) : LINE.length)
const inOrder = (fields: Field[]) => fields.toSorted((a, b) => placeOf(a) - placeOf(b))

/** Returns the fields of an object in the order of its schema. */
function fieldsOf(schema: Schema, screenOf: ScreenOf, depth = 0): Field[] {
  const shape = shapeOf(schema) ?? {}
  return Object.entries(shape).flatMap(([name, field]) =>
    isPrecise(name, shape) ? [] : [precisely(fieldOf(name, field, screenOf, depth), shape, screenOf)],
  )
}

const REQUIRED = { is_required: true as const }
/** Adds the required marks of a line's or object's own fields, which apply once it has a value. */
function asked(field: Field, schema: Schema): Field {
  if (!field.fields) return field
  const { type } = bareOf(schema)
  const shape = shapeOf(type.element ?? schema) ?? {}
  const fields = field.fields.map((one) => {
    const inner = shape[one.name]
    if (!inner) return one
    const { isOptional, initial } = bareOf(inner)
    return { ...asked(one, inner), ...(isOptional || initial !== undefined ? {} : REQUIRED) }
  })
  return { ...field, fields }
}

/** Returns the fields of a form; deprecated aliases are omitted. */
export function formFields(body: Schema | undefined, upload: UploadRules | undefined, screenOf: ScreenOf): Field[] {
  const fields = Object.entries(shapeOf(body) ?? {}).flatMap(([name, schema]) => {
    const { isOptional, meta, initial } = bareOf(schema)
    if (meta.deprecated) return []
    return [{ ...asked(fieldOf(name, schema, screenOf), schema), ...(isOptional || initial !== undefined ? {} : REQUIRED) }]
  })
  const files = Object.entries(upload ?? {}).map(
    ([name, { kinds, maxBytes, required }]): Field => ({
      name,
      label: humanised(name),
      kind: 'file',
      ...(kinds ? { accepts: [...kinds] } : {}),
      max_bytes: maxBytes,
      ...(required ? { is_required: true } : {}),
    }),
  )
  return [...fields, ...files]
}

/** Parameters for pages, order and search, which are no filters. */
const OF_EVERY_LIST = new Set([
  'page',
  'per_page',
  'sort',
  'direction',
  'search',
  'trashed',
  'ids',
  'external_id',
  'updated_since',
  'per_column',
  'format',
  'cursor',
])

export function filterFields(query: Schema | undefined, screenOf: ScreenOf): Field[] {
  return Object.entries(shapeOf(query) ?? {})
    .filter(([name]) => !OF_EVERY_LIST.has(name))
    .map(([name, schema]) => {
      const { isOptional, initial } = bareOf(schema)
      return { ...named(fieldOf(name, schema, screenOf), screenOf), ...(isOptional || initial !== undefined ? {} : REQUIRED) }
    })
}

/** Converts a filter by id to a reference, where the records have a screen. */
function named(field: Field, screenOf: ScreenOf): Field {
  const [, resource] = /^(\w+)_id$/.exec(field.name) ?? []
  if (field.kind !== 'number' || !resource || !screenOf(resource)) return field
  return { ...field, kind: 'reference', label: humanised(resource), refers_to: targetOf(resource, screenOf) }
}

/** Prefix of a more precise variant of a field for users, such as a status with the paid amount. */
const PRECISE = 'display_'
const isPrecise = (name: string, shape: Record<string, Schema>) => name.startsWith(PRECISE) && name.slice(PRECISE.length) in shape

/** Adds the options of a field's more precise variant, if any. */
function precisely(field: Field, shape: Record<string, Schema>, screenOf: ScreenOf): Field {
  const shown_as = PRECISE + field.name
  const precise = shape[shown_as]
  if (!precise) return field
  const { options } = fieldOf(shown_as, precise, screenOf)
  return { ...field, ...(options ? { options } : {}), shown_as }
}

/**
 * In lines: converts an embedded record to a reference by the last words of its name, as `customer_payment` to a payment, with
 * its status and times as columns.
 */
function withRecords(lines: Field, screenOf: ScreenOf, titleOf: (resource: string) => string | undefined): Field {
  const names = new Set(lines.fields?.map(({ name }) => name))
  const fields = lines.fields?.flatMap((field): Field[] => {
    const { name, kind, fields: inner = [] } = field
    const words = name.split('_')
    const resource = words.map((_, n) => words.slice(n).join('_')).find(screenOf)
    if (kind !== 'object' || !resource || names.has(`${name}_id`) || !inner.some((one) => one.name === 'id')) return [field]
    const title_field = titleFieldOf(Object.fromEntries(inner.map((one) => [one.name, one])), titleOf(resource))
    const { fields: _, ...rest } = field
    const beside = inner.filter((one) => one.kind === 'date' || one.kind === 'instant' || one.name === 'status')
    return [
      { ...rest, kind: 'reference', refers_to: { ...targetOf(resource, screenOf), embed: name, title_field } },
      ...beside.map((one) => ({ ...one, name: `${name}.${one.name}` })),
    ]
  })
  return fields ? { ...lines, fields } : lines
}

/** Returns the fields of a reply: an id and its embedded record become one reference. */
export function shownFields(schema: Schema, screenOf: ScreenOf, titleOf: (resource: string) => string | undefined): Field[] {
  const shape = shapeOf(schema) ?? {}
  const embedBy = new Map<string, string>()
  for (const [name, field] of Object.entries(shape)) {
    const { refersTo, columns: [column = ''] = [] } = embedOf(field) ?? {}
    if (refersTo && column !== name) embedBy.set(column, name)
  }
  const embeds = new Set(embedBy.values())
  /** Returns the embedded record next to an id that is no declared reference; it is shown instead of the id. */
  const besideOf = (name: string, { kind }: Field) => {
    const inner = kind === 'number' ? /^(\w+)_id$/.exec(name)?.[1] : undefined
    return inner !== undefined && shapeOf(shape[inner]) ? inner : undefined
  }
  const told = new Map(Object.entries(shape).map(([name, field]) => [name, fieldOf(name, field, screenOf)]))
  const numbered = new Set([...told].map(([name, field]) => besideOf(name, field)))
  return Object.entries(shape).flatMap(([name, field]) => {
    if (isPrecise(name, shape)) return []
    if (PRECISE + name in shape) return [precisely(fieldOf(name, field, screenOf), shape, screenOf)]
    const embed = embedOf(field)
    if (embed?.refersTo && embeds.has(name)) {
      const column = embed.columns[0]!
      const shown = fieldOf(column in shape ? column : name, field, screenOf)
      return [
        {
          name: column in shape ? column : name,
          label: humanised(column in shape ? column.replace(/_id$/, '') : name),
          kind: 'reference' as const,
          ...(shown.is_nullable ? { is_nullable: true as const } : {}),
          ...(shown.hint ? { hint: shown.hint } : {}),
          refers_to: {
            ...targetOf(embed.refersTo, screenOf),
            embed: name,
            title_field: titleFieldOf(shapeOf(field), titleOf(embed.refersTo)),
          },
        },
      ]
    }
    if (embedBy.has(name)) return []
    const one = told.get(name)!
    if (one.kind === 'lines') return [withRecords(one, screenOf, titleOf)]
    const inner = besideOf(name, one)
    if (inner === undefined) return numbered.has(name) ? [] : [named(one, screenOf)]
    const title_field = titleFieldOf(shapeOf(shape[inner]), titleOf(inner))
    return [
      {
        ...one,
        kind: 'reference' as const,
        label: humanised(inner),
        refers_to: { ...targetOf(inner, screenOf), embed: inner, title_field },
      },
    ]
  })
}

/** Returns the title field of an embedded record. */
function titleFieldOf(shape: Record<string, unknown> = {}, title?: string) {
  const names = Object.keys(shape)
  return [title, 'name', 'title', 'number', 'label'].find((name) => name && names.includes(name)) ?? names[0]
}
