/** Mutations of bodies: hostile values in fields, and bodies of another shape. */
import { formOf } from '../../harness.ts'
import type { Request } from '../requests.ts'
import { bare, type Schema } from '../values.ts'
import { hostile, written } from './hostile.ts'
import { type Attack, type Kind, plain } from './plain.ts'

type Path = (string | number)[]
interface Spot {
  at: Path
  schema: Schema
}

/** Returns every existing or possible field of the body, including nested ones. */
function spotsOf(schema: Schema, value: any, at: Path = []): Spot[] {
  const one = bare(schema)
  const inner = Object.entries(one.properties ?? {}).flatMap(([name, field]) => [
    { at: [...at, name], schema: field },
    ...spotsOf(field, value?.[name], [...at, name]),
  ])
  return one.items && Array.isArray(value) && value.length
    ? [...inner, { at: [...at, 0], schema: one.items }, ...spotsOf(one.items, value[0], [...at, 0])]
    : inner
}

const schemaOf = ({ operation: { bodies } }: Request) => bodies['multipart/form-data'] ?? bodies['application/json']
const show = (value: unknown) => written(value).slice(0, 80)

/** Returns the body with another value in one place. */
function put(body: any, [key, ...rest]: Path, value: unknown): any {
  if (key === undefined) return value
  const copy = Array.isArray(body) ? [...body] : { ...body }
  copy[key] = put(copy[key], rest, value)
  return copy
}

/** Hostile values in one or several fields. */
export const field: Kind = (request, random) => {
  const spots = spotsOf(schemaOf(request) ?? {}, request.body)
  if (!spots.length) return undefined
  let { body } = request
  const told: string[] = []
  for (let n = random.one([1, 1, 1, 2, 5]); n > 0; n--) {
    const { at, schema } = random.one(spots)
    const value = hostile(schema, random)
    body = put(body, at, value)
    told.push(`${at.join('.')} = ${show(value)}`)
  }
  return plain({ ...request, body }, told.join(', '))
}

/** Mutates the whole body: removed, added, swapped and replaced fields. */
export const structure: Kind = (request, random) => {
  const body = request.body!
  const names = Object.keys(body)
  if (!names.length || formOf(body)) return undefined
  const [name, other] = [random.one(names), random.one(names)]
  const text = written(body)
  const withText = (payload: string | Buffer, what: string): Attack => ({ ...plain({ ...request, body: {} }, what), payload })
  return random.one<() => Attack>([
    () => plain({ ...request, body: { ...body, [name]: undefined } }, `without ${name}`),
    () => plain({ ...request, body: { ...body, [name]: null } }, `${name} = null`),
    () => plain({ ...request, body: { ...body, [name]: body[other], [other]: body[name] } }, `${name} for ${other}`),
    () => plain({ ...request, body: { ...body, [name]: [body[name]] } }, `${name} in a list`),
    () => plain({ ...request, body: { ...body, [name]: String(body[name]) } }, `${name} as text`),
    () => plain({ ...request, body: { ...body, [name]: { [name]: body[name] } } }, `${name} in itself`),
    () =>
      plain(
        { ...request, body: { ...body, id: 1, tenant_id: 1, revision: 99, created_by: 1, deleted_at: '2026-01-01' } },
        'what the service sets',
      ),
    () => withText(`${text.slice(0, -1)},${JSON.stringify(name)}:null}`, `${name} twice`),
    () => withText(`{"__proto__":{"x":1},"constructor":{"prototype":{}},${text.slice(1)}`, 'prototypes'),
    () => withText(text.slice(0, random.below(text.length)), 'cut off'),
    () => withText(Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0x7d])]), 'no UTF-8'),
    () => withText(`\ufeff${text}`, 'with a byte order mark'),
    ...[
      '',
      'null',
      '0',
      '"x"',
      'true',
      '[]',
      '{}',
      '[[]]',
      '[{}]',
      '{"":""}',
      `[${text}]`,
      JSON.stringify(text),
      `${text}${text}`,
    ].map((one) => () => withText(one, one.slice(0, 20))),
    () => withText(`${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'nested'),
    () => withText(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 'nested'),
    () => withText(`{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":1`).join()}}`, 'many fields'),
    () => withText(`"${'x'.repeat(1024 * 1024 - random.below(4))}"`, '1 MB'),
  ])()
}
