/** Mutations of addresses: path parameters and query. */
import type { Request } from '../requests.ts'
import { bare, type Schema } from '../values.ts'
import { hostile, written } from './hostile.ts'
import { type Attack, type Kind, plain } from './plain.ts'
import type { Random } from './random.ts'
import { TEXTS } from './texts.ts'

/** Returns a value for a parameter. */
function textFor(schema: Schema, random: Random): string {
  const one = bare(schema)
  if (one.enum && random.chance(0.6)) return String(random.one(one.enum))
  if (one.type === 'boolean' && random.chance(0.6)) return random.one(['true', 'false'])
  if (one.type === 'integer' && random.chance(0.4)) return random.one(['0', '1', '2', '100', '-1'])
  if (one.format === 'date' && random.chance(0.5)) return random.one(['2026-01-01', '2026-12-31', '2024-02-29'])
  const value = hostile(schema, random)
  return (typeof value === 'object' ? written(value) : String(value)).slice(0, 12_000).toWellFormed()
}

const withQuery = (request: Request, text: string): Attack => {
  const attack = plain(request, `?${text.slice(0, 200)}`)
  return { ...attack, url: attack.url + (attack.url.includes('?') ? '&' : '?') + text }
}

/** Known parameters with hostile values and suffixes. */
export const query: Kind = (request, random) => {
  const all = request.operation.parameters.filter((one) => one.in === 'query')
  const pairs = Array.from({ length: random.one([1, 1, 2, 3, 6]) }, () => {
    const { name, schema } = random.one(all)
    const sign = random.one(['', '', '', '', '', '', '[]', '[a]', '.a'])
    return `${name}${sign}=${encodeURIComponent(textFor(schema, random))}`
  })
  return withQuery(request, pairs.join('&'))
}

/** Each enum value of a parameter: all of them must be accepted. */
export const words = (request: Request): Attack[] =>
  request.operation.parameters
    .filter((one) => one.in === 'query')
    .flatMap(({ name, schema }) =>
      (bare(schema).enum ?? []).map((word) => withQuery(request, `${name}=${encodeURIComponent(String(word))}`)),
    )

/** Queries that are invalid everywhere. */
export const anyQuery: Kind = (request, random) =>
  withQuery(
    request,
    random.one([
      ...[
        '=',
        '&&&',
        '?',
        '%',
        '%zz=1',
        '%ff=%ff',
        '__proto__=1',
        '__proto__[x]=1',
        'constructor=1',
        'page=1&page=2',
        'page',
        'page=',
      ],
      ...[
        'sort=__proto__',
        'sort=constructor',
        'search=%00',
        'trashed=toString',
        'a'.repeat(9000),
        '#x',
        'x=1;y=2',
        `x=${'&x='.repeat(2000)}`,
      ],
    ]),
  )

/** Replaces one path parameter by another raw value. */
export const path: Kind = (request, random) => {
  const { operation } = request
  const names = Object.keys(request.params)
  if (!names.length) return undefined
  const name = random.one(names)
  const odd = [
    '%00',
    '%2F',
    '..',
    '.',
    '%2e%2e',
    '%',
    '%zz',
    '%ff',
    '%ed%a0%80',
    '',
    ' ',
    '%20',
    '0',
    '-1',
    '1e3',
    '1.0',
    '01',
    '0x1',
    '٣',
    '//',
    ';x=1',
  ]
  const large = [
    '9007199254740991',
    '9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
    '9'.repeat(10_000),
    'x'.repeat(10_000),
  ]
  const text = random.one([...odd, ...large, ...TEXTS.map((one) => encodeURIComponent(one.toWellFormed()).slice(0, 600))])
  const url = operation.path.replace(/\{(\w+)\}/g, (_, one) => (one === name ? text : encodeURIComponent(request.params[one]!)))
  return { ...plain(request, `${name} = ${text.slice(0, 80)}`), url }
}
