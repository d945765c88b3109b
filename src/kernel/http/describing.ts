/**
 * Adds descriptions and examples to the API documents for fields that a module hasn't described, from their names and schemas.
 * Works on the finished document, when it is requested. test/reference.test.ts checks that every field has a description and that
 * examples are valid.
 */
import { humanised, singular, words } from '../values/words.ts'
import { endings, type Meaning, structures, values } from './field-glossary.ts'
import { singularOf, stepsOf } from './operation-names.ts'

type Direction = 'path' | 'query' | 'body' | 'reply'

/** A field or parameter, and its place in the document. */
interface Place {
  name: string
  /** Schema in the document; for a parameter, its `schema`. */
  schema: any
  /** Object that gets the description: the schema, or the parameter that contains it. */
  holder: any
  direction: Direction
  /** Record that the field belongs to: "purchase order". */
  noun: string
  /** Title of the module of the first operation that contains it. */
  module: string
  /** The field is a count of records: a reply of `/stats`. */
  counts: boolean
  /** Noun of that operation, and the component that contains the field, if any. */
  about: string
  component?: string
}

/** Place of a schema in the document. */
type At = Omit<Place, 'name' | 'schema' | 'holder'>

/** Gives every parameter and field of a document a description, and an example if it holds a value. */
export function describeFields(document: any) {
  const places: Place[] = []
  const own = new OwnWords()
  const seen = new Set<object>()
  const met: Place[] = []
  const modulesOf = new Map<string, Set<string>>()
  for (const [path, item] of Object.entries<any>(document.paths))
    for (const [method, operation] of Object.entries<any>(item)) {
      if (method === 'servers') continue
      const noun = nounOf(path)
      const at = { noun, about: noun, module: operation.tags[0], counts: path.endsWith('/stats') }
      for (const holder of operation.parameters ?? [])
        if (holder.schema) places.push({ ...at, name: holder.name, schema: holder.schema, holder, direction: holder.in })
      for (const { schema } of contents(operation.requestBody)) collect(schema, { ...at, direction: 'body' })
      for (const response of Object.values<any>(operation.responses))
        for (const { schema } of contents(response)) collect(schema, { ...at, direction: 'reply' })
    }
  const { responses, requestBodies = {} } = document.components
  for (const [name, shared] of Object.entries<any>({ ...responses, ...requestBodies }))
    for (const { schema } of contents(shared))
      collect(schema, { noun: words(name), about: words(name), module: '', counts: false, direction: 'reply' })

  // A component shared by several modules describes itself, not the records of one module.
  const isOwn = ({ component, noun, about }: Place) => !component || modulesOf.get(component)!.size === 1 || noun === about
  for (const place of met) if (isOwn(place)) own.gather(place)
  for (const place of places) describe(place, own)

  /**
   * Collects every field below a schema. The fields of a component are described once, but their texts count for each module that
   * uses it.
   */
  function collect(schema: any, at: At, path: object[] = []) {
    if (!schema || typeof schema !== 'object' || path.includes(schema)) return
    if (schema.$ref) {
      const name = schema.$ref.split('/').at(-1)
      const target = document.components.schemas[name]
      modulesOf.getOrInsertComputed(name, () => new Set()).add(at.module)
      return collect(target, { ...at, noun: words(target['x-resource'] ?? spokenId(name)), component: name }, path)
    }
    const isNew = !seen.has(schema)
    seen.add(schema)
    const inner = [
      ...(schema.anyOf ?? []),
      ...(schema.oneOf ?? []),
      ...(schema.allOf ?? []),
      schema.items,
      schema.additionalProperties,
    ]
    for (const part of inner) collect(part, at, [...path, schema])
    const isEnvelope = schema.properties?.status?.const === 'success'
    if (isEnvelope) {
      schema.properties.data.description ??= aboutData(schema.properties.data)
      schema.properties.message.description ??= values.get('message')!.says
    }
    const noun = schema['x-resource'] ? words(schema['x-resource']) : at.noun
    for (const [name, field] of Object.entries<any>(schema.properties ?? {})) {
      const place = { ...at, noun, name, schema: field, holder: field }
      met.push(place)
      if (isNew) places.push(place)
      collect(field, { ...at, noun: isStructure(field) ? nounOfField(name, noun) : noun }, [...path, schema])
    }
  }
}

/** Describes `data` of a reply's envelope. */
function aboutData(data: any) {
  if (data.type === 'null') return 'Always null: what was asked is done.'
  return isNullable(data) ? 'What was asked for; null: there is nothing.' : 'What was asked for.'
}

const contents = (of: any) => Object.values<any>(of?.content ?? {})

/** Returns the noun of the last path segment: "purchase order" for `/purchase-orders/{id}/send`. */
function nounOf(path: string) {
  const steps = stepsOf(path)
  // `/vendors/external/{external_id}` is a vendor too.
  const step = steps.findLast(({ name, one }) => one && name !== 'external') ?? steps.findLast(({ name }) => name !== 'external')
  if (!step) return 'service'
  return step.name === 'me' ? 'user' : singularOf(step)
}

/** Names that say nothing about their content. */
const WRAPPERS = new Set(['data', 'meta', 'rows', 'settings'])
const nounOfField = (name: string, noun: string) =>
  WRAPPERS.has(name) ? singular(noun.replace(/ widget$/, '')) : words(singular(name))
const spokenId = (id: string) => {
  const noun = spacedOut(id).replace(/ ref$/, '')
  return noun === 'name' ? 'record' : noun
}
const spacedOut = (camel: string) => camel.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()

/** Returns a nullable schema without its null. */
const bareOf = (schema: any): any => schema.anyOf?.find(({ type }: any) => type !== 'null') ?? schema
const typeOf = (schema: any): string | undefined => [bareOf(schema).type].flat().find((type) => type !== 'null')
const isNullable = (schema: any) => bareOf(schema) !== schema || [schema.type].flat().includes('null')
const isStructure = (schema: any) => {
  const { $ref, oneOf } = bareOf(schema)
  return Boolean($ref || oneOf) || ['object', 'array'].includes(typeOf(schema) ?? '')
}

/**
 * Descriptions from the modules' own schemas. A field's description applies to all fields of that name and type in the module's
 * bodies and replies, unless the module describes them differently. A compound name (`billing_cycle`) has the same meaning in
 * other modules too.
 */
class OwnWords {
  private readonly said = new Map<string, Map<string, Meaning>>()

  gather(place: Place) {
    const meaning = ownMeaning(place)
    if (!meaning || place.direction === 'query' || place.direction === 'path') return
    for (const module of [place.module, ANY]) {
      const key = this.keyOf(module, place)
      if (!this.said.has(key)) this.said.set(key, new Map())
      this.said.get(key)!.set(meaning.says, meaning)
    }
  }

  inModule = (place: Place) => this.find(place.module, place)
  inAny = (place: Place) => (place.name.includes('_') ? this.find(ANY, place) : undefined)

  private find(module: string, place: Place): Meaning | undefined {
    if (place.direction === 'query' || place.direction === 'path') return undefined
    const all = this.said.get(this.keyOf(module, place))
    return all?.size === 1 ? [...all.values()][0] : undefined
  }

  private keyOf(module: string, { name, schema }: Place) {
    const { enum: choices = null, const: only = null } = bareOf(schema)
    const { items } = bareOf(schema)
    return JSON.stringify([module, name, typeOf(schema), items && (items.$ref ?? typeOf(items)), choices, only])
  }
}
const ANY = '*'

/** Returns the description in the schema itself; a nullable field has it in the inner schema. */
function ownMeaning({ schema }: Place): Meaning | undefined {
  const inner = bareOf(schema)
  const says = schema.description ?? inner.description
  const [example] = schema.examples ?? inner.examples ?? []
  return says && !inner.$ref ? { says, example } : schema.description ? { says: schema.description } : undefined
}

function describe(place: Place, own: OwnWords) {
  const { schema, holder, direction } = place
  const inner = bareOf(schema)
  const said = ownMeaning(place) ?? own.inModule(place)
  const known = glossaryOf(place)
  const used = byUse(place)
  const meaning = said ?? (used === undefined ? known : { says: used }) ?? own.inAny(place) ?? byKind(place)
  const text = direction === 'body' ? (meaning?.sent ?? meaning?.says) : meaning?.says
  if (inner !== schema && !inner.$ref) delete inner.description
  // Only glossary texts have these placeholders. A module's own text may mention other placeholders named `{title}`.
  if (text)
    holder.description =
      meaning === known ? text.replaceAll('{noun}', place.noun).replaceAll('{title}', titled(place.name)) : text
  giveExample(place, meaning?.example === undefined ? known?.example : meaning.example)
  if (holder === schema) return
  delete schema.description
  if (direction === 'query' && !holder.required) holdBack(holder)
}

function glossaryOf({ name, schema }: Place): Meaning | undefined {
  if (isStructure(schema)) return structures.get(name)
  const { format } = bareOf(schema)
  const ending = [...endings.keys()].find((one) => name.endsWith(one))
  return values.get(`${name}:${format}`) ?? values.get(name) ?? (ending ? endings.get(ending) : undefined)
}

/** Returns the name as words within a sentence: `expected_date` as "expected date". */
const titled = (name: string) => humanised(name).replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())

const refersTo = (schema: any): string | undefined =>
  schema['x-refers-to'] ?? schema.anyOf?.find((one: any) => one['x-refers-to'])?.['x-refers-to']

/** Describes a parameter by its effect instead of the meaning of the field. */
function byUse({ name, schema, direction, noun }: Place): string | undefined {
  if (direction === 'path') {
    if (name === 'id' || name === 'uuid') return `${name === 'id' ? 'Id' : 'Uuid'} of the ${noun}: \`${name}\` in its replies.`
    return pathParameters[name] ?? `Id of the ${words(spacedOut(name.replace(/Id$/, '')))}: \`id\` in its replies.`
  }
  if (direction !== 'query') return undefined
  if (name === 'format' && !schema.enum?.includes('csv')) return 'The kind of file.'
  if (queryParameters[name]) return queryParameters[name]
  const title = titled(name)
  const subject = refersTo(schema)
  if (subject) return `Keeps those whose ${title.replace(/ id$/i, '')} is the ${words(subject)} of this id.`
  for (const [ending, says] of Object.entries(ranges))
    if (name.endsWith(ending)) return `Keeps those whose ${titled(name.slice(0, -ending.length))} is ${says}.`
  if (name.startsWith('my_')) return 'true keeps those that are assigned to the caller.'
  if (typeOf(schema) === 'boolean') return `true keeps those that are ${title}, false those that are not.`
  if (/_id$/.test(name)) return `Keeps those of the ${title.replace(/ id$/i, '')} of this id.`
  return `Keeps those whose ${title} is exactly this.`
}

const pathParameters: Record<string, string> = {
  token: 'What the link carries that was mailed or told once.',
  external_id: 'What another system calls it: `external_id` in its replies.',
  slug: 'Slug of the workspace.',
  code: 'Its short code, as addresses have it.',
  key: 'What its addresses call it: its key, or its id or uuid.',
  provider: 'Who tells it: the code of the provider.',
  language: 'BCP 47 tag of the language: `de`.',
  asset: 'Which picture: `logo`, `favicon` or one of the `auth-image-…`.',
}

const ranges: Record<string, string> = {
  _from: 'this day or a later one',
  _to: 'this day or an earlier one',
  _min: 'this much or more',
  _max: 'this much or less',
}

const queryParameters: Record<string, string> = {
  page: 'Which page, from 1. One beyond the last is empty.',
  per_page: 'How many rows a page has. Out of range is brought into range: 0 is 1, 500 is 100.',
  sort: 'By which field the list is sorted. Equal ones stand in the order of their ids, and long texts are compared by their first 100 letters.',
  direction: 'Ascending or descending.',
  search: 'Keeps those that contain this text in one of the texts that are searched: parts of words too, whatever their case.',
  q: 'Keeps those that have each of these words, as a word or the beginning of one.',
  trashed:
    '`with` shows what is in the trash beside what is live, `only` (or `true`) nothing but the trash. Unless sent, or with `false`: what is live.',
  assigned_to: 'Keeps those that are assigned to the user of this id, or, with `unassigned`, to nobody.',
  format: 'The kind of file: CSV in UTF-8 with commas, or an Excel workbook.',
  per_column: 'How many records a column of the board shows at most.',
}

/** Fallback description: the schema's own title, what the field counts, or what it refers to. */
function byKind({ name, schema, counts }: Place): Meaning | undefined {
  const inner = bareOf(schema)
  const none = isNullable(schema) ? '; null: none' : ''
  const subject = refersTo(schema) ?? refersTo(inner.items ?? {})
  const says = () => {
    if (schema.title && schema.title !== humanised(name) && !subject) return `${schema.title}.`
    if (typeOf(schema) === undefined && [schema.type].flat().includes('null')) return 'Always null.'
    if (counts && typeOf(schema) === 'integer')
      return name.startsWith('total')
        ? 'How many there are in all.'
        : name.startsWith('my_')
          ? 'How many of them are assigned to the caller.'
          : `How many of them are ${titled(name)}.`
    if (subject && inner.items)
      return `Ids of the ${words(subject)} records. Sent with a change, they replace all that were there.`
    if (subject) return `Id of the ${words(subject)}${none}.`
    if ((inner.$ref || inner.properties) && none)
      return `The ${titled(name)}, shown in short. null: none, or none that the caller may see.`
    return undefined
  }
  const text = says()
  return text ? { says: text } : undefined
}

/**
 * Marks the example of an optional parameter as disabled: the reference page would send every parameter with a value when a user
 * tries the operation.
 */
function holdBack(parameter: any) {
  parameter.examples = { default: { value: sampleOf(parameter.schema), 'x-disabled': true } }
  delete parameter.schema.examples
}

const sampleOf = ({ examples, enum: choices, const: only, default: initial, anyOf }: any): unknown =>
  examples?.[0] ?? initial ?? choices?.[0] ?? only ?? (anyOf ? sampleOf(anyOf[0]) : true)

const EXAMPLES: Record<string, unknown> = {
  date: '2026-11-20',
  'date-time': '2026-11-20T09:30:00.000Z',
  uuid: '0198f0c2-5b1e-7c3a-9d4f-2a6b8c0d1e2f',
  email: 'ann@nordwind.example',
  uri: 'https://nordwind.example/',
  website: 'nordwind.example',
  phone: '+49 30 1234567',
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  html: '<p>Thank you for your trust.</p>',
  money: 58.8,
  quantity: 10,
  percentage: 19,
  decimal: 1.5,
}

/** Whether an example for a field of that name has the field's type. */
function fits(known: unknown, type: string, { format, items }: any): boolean {
  if (format === 'date-time' || format === 'date')
    return typeof known === 'string' && known.includes('T') === (format === 'date-time')
  if (type === 'array') return Array.isArray(known) && (!items?.type || fits(known[0], items.type, items)) && !items?.$ref
  return type === 'integer' ? Number.isInteger(known) : typeof known === type
}

/** Adds an example to a value whose schema has none and no fixed values; to a list, an example of its entries. */
function giveExample({ name, schema }: Pick<Place, 'name' | 'schema'>, known: unknown) {
  const inner = bareOf(schema)
  if (inner !== schema && inner.examples) {
    schema.examples ??= inner.examples
    delete inner.examples
  }
  if (schema.examples || inner.$ref || inner.properties || inner.enum || 'const' in inner) return
  const type = typeOf(schema)
  if (type === 'boolean' || type === undefined || inner.format === 'binary') return
  if (known === null ? isNullable(schema) : fits(known, type, inner)) schema.examples = [known]
  else if (type === 'array') {
    const entry = inner.items
    if (entry && !entry.$ref) giveExample({ name: singular(name), schema: entry }, values.get(singular(name))?.example)
  } else if (inner.format in EXAMPLES) schema.examples = [EXAMPLES[inner.format]]
  else if (type === 'integer' || type === 'number') schema.examples = [schema.default ?? Math.max(inner.minimum ?? 1, 1)]
  else if (type === 'string' && !inner.pattern) schema.examples = [humanised(name).slice(0, inner.maxLength)]
}
