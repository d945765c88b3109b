/** Quality of the API documents: every operation, parameter and field has a description and a valid example. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { documentsAjv } from './contract/documented.ts'
import { startTest } from './harness.ts'

const world = await startTest()
const root = join(import.meta.dirname, '..')

/** A parameter, or a field of a body or reply, with its location. */
interface Place {
  at: string
  name: string
  description?: string
  schema: any
  /** Of a parameter. */
  examples?: Record<string, { value: unknown; 'x-disabled'?: boolean }>
}

/** Returns whether a description only repeats the name. */
const isEcho = ({ name, description = '' }: Place) => {
  const letters = (text: string) => text.toLowerCase().replace(/[^a-z]|\b(the|a|an|of|its|is)\b/g, '')
  return letters(description) === letters(name)
}

/** Fails with one line for each problem, and how to fix them. */
const none = (wrong: string[], howToMend: string) =>
  assert.ok(!wrong.length, `${wrong.length} of them:\n${wrong.map((one) => `- ${one}`).join('\n')}\n${howToMend}`)

const describeIt =
  "Say it at the field in schema.ts: .describe('…'), or .meta({ description, examples: ['…'] }); what recurs in many modules stands in src/kernel/http/field-glossary.ts."

const isStructure = (schema: any) =>
  schema.$ref ||
  schema.properties ||
  schema.items ||
  schema.type === 'object' ||
  schema.oneOf ||
  (schema.anyOf ?? []).some(isStructure)
const isPlain = (schema: any): boolean =>
  'const' in schema ||
  schema.enum ||
  [schema.type].flat().every((type) => type === 'boolean' || type === 'null') ||
  schema.format === 'binary' ||
  (schema.anyOf ?? []).some(isPlain)

for (const [surface, base] of [
  ['workspace', '/api/tenant/v1'],
  ['platform', '/api/central/v1'],
] as const)
  describe(`the reference of the ${surface} API`, async () => {
    const document: any = (await world.root.get(`${base}/openapi.json`)).body
    const operations = Object.entries<any>(document.paths).flatMap(([path, item]) =>
      Object.entries<any>(item)
        .filter(([method]) => method !== 'servers')
        .map(([method, operation]) => ({ at: `${method.toUpperCase()} ${path}`, operation })),
    )
    const places: Place[] = []
    const schemas: { at: string; schema: any }[] = []
    for (const { at, operation } of operations) {
      for (const one of operation.parameters ?? []) {
        const parameter = one.$ref ? document.components.parameters[one.$ref.split('/').at(-1)] : one
        places.push({ at: `${at} ?${parameter.name}`, ...parameter })
      }
      for (const { schema } of Object.values<any>(operation.requestBody?.content ?? {})) collect(schema, `${at} <`)
      for (const { content } of Object.values<any>(operation.responses))
        for (const { schema } of Object.values<any>(content ?? {})) collect(schema, `${at} >`)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) collect(schema, name)

    function collect(schema: any, at: string) {
      if (!schema || typeof schema !== 'object') return
      schemas.push({ at, schema })
      for (const [name, field] of Object.entries<any>(schema.properties ?? {})) {
        places.push({ at: `${at}.${name}`, name, description: field.description, schema: field })
        collect(field, `${at}.${name}`)
      }
      for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), schema.items, schema.additionalProperties])
        collect(inner, at)
    }

    it('says of each operation what it does', () => {
      const silent = operations.filter(({ operation }) => !/^(?!Needs).{20,}\.\n\nNeeds/s.test(operation.description))
      none(
        silent.map(({ at }) => at),
        'Give the route a `description` of 20 letters or more, which ends in a full stop.',
      )
    })

    it('describes each parameter and each field, in more words than its name', () => {
      const silent = places.filter((place) => !place.description || isEcho(place))
      none(
        silent.map(({ at, description }) => (description ? `${at}: ${description}` : at)),
        describeIt,
      )
    })

    it('has an example of each value that is not chosen from a list', () => {
      const bare = places.filter(
        ({ schema, examples }) =>
          !examples && !schema.examples && !('default' in schema) && !isStructure(schema) && !isPlain(schema),
      )
      none(
        bare.map(({ at }) => at),
        describeIt,
      )
    })

    it('says of a field what fits where it stands', () => {
      const isNullable = ({ schema }: Place) =>
        [schema.type].flat().includes('null') || !schema.type || (schema.anyOf ?? []).some(({ type }: any) => type === 'null')
      const ofOthers = places.filter((place) => {
        const { at, name, description = '' } = place
        if (/\b(an?|the) external\b/.test(description)) return true
        if (name === 'message' && /^(GET|POST|PUT|PATCH|DELETE) \S+ >\.message$/.test(at))
          return !description.startsWith('For people')
        if (name === 'email' && !/ActorRef|\.actor\./.test(at)) return description.includes('service account, which')
        return /\bnull: /.test(description) && at.includes(' >') && !isNullable(place)
      })
      none(
        ofOthers.map(({ at, description }) => `${at}: ${description}`),
        'Words of another kind of record came here: say at this field what it means.',
      )
    })

    it('has only examples and defaults that are valid', () => {
      const ajv = documentsAjv()
      ajv.addSchema(document, surface)
      const whole = (schema: any): any =>
        JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${surface}#/components/`))
      const wrong: string[] = []
      const compiled = new Map<string, ReturnType<typeof ajv.compile>>()
      const all = [...schemas, ...places]
      for (const { at, schema, examples = {} } of new Map<any, any>(all.map((one) => [one.schema, one])).values()) {
        const ofParameter = Object.values<any>(examples).map(({ value }) => value)
        const samples = [...ofParameter, ...(schema.examples ?? []), ...('default' in schema ? [schema.default] : [])]
        if (!samples.length) continue
        const { title: _, description: __, ...rules } = whole(schema)
        const valid = compiled.getOrInsertComputed(JSON.stringify(rules), () => ajv.compile(rules))
        for (const sample of samples)
          if (!valid(sample)) wrong.push(`${at}: ${JSON.stringify(sample)} ${ajv.errorsText(valid.errors)}`)
      }
      assert.deepEqual(wrong, [])
    })

    it('has ids above 0, and no pattern where the format says it', () => {
      const types = ({ schema }: Place) => [schema, ...(schema.anyOf ?? [])].filter(({ type }) => type === 'integer')
      const ids = places.filter(({ name }) => /(^|_)id$/.test(name))
      assert.deepEqual(
        ids.filter((place) => types(place).some(({ minimum }) => !(minimum >= 1))).map(({ at }) => at),
        [],
      )
      assert.deepEqual(
        schemas.filter(({ schema }) => schema.pattern?.length > 100).map(({ at }) => at),
        [],
      )
    })

    it('sends nothing harmful where a tool takes the first value of a list', () => {
      const trashed = places.filter(({ name, at }) => name === 'trashed' && at.includes('?'))
      assert.ok(trashed.length)
      assert.ok(trashed.every(({ schema }) => schema.enum[0] === 'with'))
      const sent = places.filter(({ examples }) => examples && !Object.values(examples).every((one) => one['x-disabled']))
      assert.deepEqual(
        sent.map(({ at }) => at),
        [],
        'the page would send them by itself',
      )
    })

    it('lists the codes of errors, and begins with an introduction', () => {
      const { code } = document.components.schemas.Error.properties
      for (const one of code.enum) assert.ok(document.info.description.includes(`\`${one}\``), one)
      for (const word of ['Signing in', 'Lists', 'Errors', 'Idempotency-Key', 'ETag', 'Limits', 'handling=strict'])
        assert.ok(document.info.description.includes(word), word)
      const named = [...document.info.description.matchAll(/(POST|GET) (\/[\w/-]+)`/g)]
      assert.ok(named.length >= 3)
      for (const [, method, path] of named) assert.ok(document.paths[path]?.[method.toLowerCase()], `${method} ${path}`)
    })
  })

describe('the references', () => {
  const read = async (base: string) => (await world.root.get(`${base}/openapi.json`)).body as any

  it('name every code that the source throws, as docs/api-conventions.md does', async () => {
    const thrown = new Set<string>()
    for (const file of globSync('src/**/*.ts', { cwd: root })) {
      if (file.endsWith('.test.ts') || file.includes('/demo')) continue
      const text = readFileSync(join(root, file), 'utf8')
      for (const [, code] of text.matchAll(
        /(?:HttpError\(\s*\w+,\s*|super\(\d+,\s*|\bcode: |forbidden\([^\n]*, )'([A-Z]+(?:_[A-Z]+)*)'/g,
      ))
        if (code!.length > 3) thrown.add(code!)
    }
    const [workspace, platform] = await Promise.all(['/api/tenant/v1', '/api/central/v1'].map(read))
    const codes = new Set<string>(
      [workspace, platform].flatMap(({ components }) => components.schemas.Error.properties.code.enum),
    )
    none(
      [...thrown].filter((code) => !codes.has(code)),
      'Name the code with its meaning in `errorCodes` of the manifest, or, where the kernel throws it, beside the others in src/kernel/http/error-codes.ts.',
    )
    const conventions = readFileSync(join(root, 'docs/api-conventions.md'), 'utf8')
    none(
      [...codes].filter((code) => !conventions.includes(`\`${code}\``)),
      'Give each its row in docs/api-conventions.md.',
    )
  })

  it('have every setting of a workspace with its type', async () => {
    const { paths } = await read('/api/tenant/v1')
    const { put, get } = paths['/settings']
    const sent = put.requestBody.content['application/json'].schema.properties.settings
    const shown = get.responses['200'].content['application/json'].schema.properties.data.properties.settings
    const keys = [...world.services.modules.settings.keys(), 'timezone', 'currency', 'locale'].sort()
    for (const settings of [sent, shown]) {
      assert.deepEqual(Object.keys(settings.properties).sort(), keys)
      assert.equal(settings.properties.tax_rounding.default, 'line')
    }
  })

  it('say that a document is made of a file, and of which', async () => {
    const { content } = (await read('/api/tenant/v1')).paths['/documents'].post.requestBody
    assert.deepEqual(Object.keys(content), ['multipart/form-data'])
    const { required, properties } = content['multipart/form-data'].schema
    assert.deepEqual(required.toSorted(), ['file', 'title'])
    assert.match(properties.file.description, /pdf.*7z.*51,200 KB/)
  })
})
