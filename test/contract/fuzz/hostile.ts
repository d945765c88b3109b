/** Hostile values, and values just inside and outside of a schema's bounds. */
import { bare, type Schema, wrong } from '../values.ts'
import type { Random } from './random.ts'
import { TEXTS } from './texts.ts'

/** JSON that no JavaScript value serialises to. */
const literal = (json: string): unknown => (JSON as unknown as { rawJSON(json: string): unknown }).rawJSON(json)

/** Slightly below the maximum size of a body. */
const LONGEST = 'x'.repeat(900_000)

const DAYS = ['0000-01-01', '0001-01-01', '1582-10-10', '1900-02-29', '2026-02-30', '2026-13-01', '2024-02-29', '9999-12-31']
const FAR = ['10000-01-01', '+275760-09-13', '-271821-04-20', '275760-09-13', 'infinity', '-infinity', 'epoch', 'today']
const WRITTEN_OTHERWISE = ['20260101', '2026-1-1', '2026-W01-1', '2026-01-01 00:00', '24:00', '23:60', '00:00:00']
const TIMES = [
  '00:00:00Z',
  '00:00:00',
  '23:59:60Z',
  '24:00:00Z',
  '25:00:00Z',
  '00:00:00.123456789Z',
  '00:00:00+14:00',
  '23:59:59-12:00',
  '00:00+99:99',
]
const DATES = [
  ...DAYS,
  ...FAR,
  ...WRITTEN_OTHERWISE,
  ...[...DAYS, ...FAR].flatMap((day) => TIMES.map((time) => `${day}T${time}`)),
]

const WHOLE = [0, -0, 1, -1, 1e15, 1e21, 2 ** 31, 2 ** 31 - 1, -(2 ** 31), 2 ** 53, 2 ** 53 + 2, Number.MAX_SAFE_INTEGER, 1e12]
const PARTS = [
  0.5,
  0.1 + 0.2,
  1e-30,
  1e308,
  -1e308,
  5e-324,
  999_999_999_999.99,
  1_000_000_000_000_000.5,
  0.001,
  0.0000001,
  99.999,
]
const LITERALS = [
  '1e400',
  '-1e400',
  '9223372036854775807',
  '9223372036854775808',
  '9007199254740993',
  '0.1234567890123456789',
  '1e2',
  '-0',
]
const NUMBERS = [...WHOLE, ...PARTS, ...LITERALS.map(literal)]

const UUID = 'ed3bb544-9981-422d-93af-37465964ef67'
const UUIDS = ['00000000-0000-0000-0000-000000000000', UUID, UUID.toUpperCase(), `{${UUID}}`, UUID.slice(1), `${UUID.slice(1)}g`]

/** Objects and lists that no schema accepts. */
const SHAPES: (() => unknown)[] = [
  () => null,
  () => true,
  () => [],
  () => ({}),
  () => [[]],
  () => [null],
  () => [{}],
  () => ({ length: 1, 0: 'x' }),
  () => JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  () => ({ toString: 'x', valueOf: 1, toJSON: 2 }),
  () => Array.from({ length: 10_000 }, (_, n) => n + 1),
  () => Array.from({ length: 2000 }, () => ({})),
  () => Array.from({ length: 10_000 }, (_, n) => `x${n}`),
  () => Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, n])),
  () => deep(31),
  () => DEEP,
]

const deep = (depth: number): unknown => (depth ? [deep(depth - 1)] : [])
/** Placeholder for lists nested 10,000 deep: JSON.stringify can't serialise those. */
const DEEP = '\u{10fffd}deep'
const DEEP_JSON = '['.repeat(10_000) + ']'.repeat(10_000)

/** Serialises a body as JSON. */
export const written = (body: unknown) => (JSON.stringify(body) ?? '').replaceAll(JSON.stringify(DEEP), DEEP_JSON)

/** Returns a value for a field of this schema: mostly of its type, sometimes anything. */
export function hostile(schema: Schema, random: Random): unknown {
  const one = bare(schema)
  if (random.chance(0.2)) return random.one(SHAPES)()
  if (random.chance(0.01)) return LONGEST
  if (random.chance(0.1)) return random.one<unknown>([...TEXTS, ...NUMBERS, ...DATES])
  const near = [...wrong(schema), ...bounds(one)]
  if (near.length && random.chance(0.4)) return random.one(near)
  if (one.enum) return random.one<unknown>([...one.enum.flatMap(cased), ...TEXTS])
  if (one.format?.startsWith('date')) return random.one<unknown>([...DATES, ...TEXTS])
  if (one.format === 'uuid') return random.one<unknown>([...UUIDS, ...TEXTS])
  if (one.type === 'integer' || one.type === 'number')
    return random.one<unknown>([...NUMBERS, ...NUMBERS.map((n) => JSON.stringify(n))])
  if (one.type === 'array') return random.one([() => list(one, random), ...SHAPES])()
  return random.one(one.type === 'boolean' ? BOOLEANS : TEXTS)
}

const BOOLEANS = ['true', 'false', 'TRUE', 0, 1, 'on', '', null, []]

const cased = (value: unknown) =>
  typeof value === 'string' ? [value, value.toUpperCase(), ` ${value}`, `${value}\0`, [value], value.slice(0, -1)] : [value]

/** Values at the schema's bounds. */
function bounds({ minLength, maxLength, minimum, maximum, multipleOf, type, enum: words }: Schema): unknown[] {
  if (words) return []
  if (type === 'string')
    return [minLength ?? 0, maxLength ?? 300]
      .filter((n) => n < 500_000)
      .flatMap((n) => ['x', '😀', ' ', '<'].map((c) => c.repeat(n)))
  const step = multipleOf ?? 1
  return [minimum, maximum].filter((n) => n !== undefined).flatMap((n) => [n, n - step, n + step, String(n)])
}

/** Returns a long list of valid or hostile items. */
function list({ items = {} }: Schema, random: Random): unknown[] {
  const length = random.one([1, 2, 21, 101, 1001])
  const same = hostile(items, random)
  return Array.from({ length }, (_, n) => (n && random.chance(0.5) ? n : same))
}
