/**
 * The kinds of value that bodies and replies are made of. Each is said once: its limit, a message that says what would be right,
 * and what it is (an id of a vendor, money in a currency), for validation, SQL, the API documents and clients made from them.
 */
import Big from 'big.js'
import { z } from 'zod'
import type { SubjectType } from '../names.ts'
import { isCurrency } from './money.ts'
import { definitionOf, withoutDefault } from './schema-definition.ts'
import { isTimezone } from './time.ts'

/** What the kernel does with a field, beyond what its schema validates. */
interface Kind {
  /** An id that names a record of this type: it is looked up before it is stored. */
  refers?: SubjectType
  /** It may name a record that the actor may not view. */
  picker?: boolean
  /** A numeric column: decimal text inside, a JSON number outside. */
  exact?: true
  /** A timestamptz column: UTC with Z in JSON. */
  instant?: true
  /** A text of any length, which is sorted by its beginning. */
  long?: true
  /** A secret that is told once: a replay of the reply has null in its place. */
  shownOnce?: true
  /** A text that holds codes: what people call those that are known. */
  words?: Readonly<Record<string, string>>
  /** A time of the day. */
  clock?: true
  /** What is sent of a record that has none. */
  absent?: string
}

const kinds = z.registry<Kind>()

function kind<S extends z.core.$ZodType>(schema: S, is: Kind): S {
  kinds.add(schema, is)
  return schema
}

/** What a field is, whatever it is wrapped in (nullable, optional, a default). */
export function kindOf(schema: z.core.$ZodType): Kind {
  const found = kinds.get(schema)
  const inner = definitionOf(schema).innerType
  return found ?? (inner ? kindOf(inner) : {})
}

/** What a text is, beyond its letters: how a screen shows it and what it links to. */
type TextFormat = 'email' | 'phone' | 'uri' | 'website' | 'html' | 'currency' | 'timezone'

/** A text of a reply that may be long: a list is sorted by its first hundred characters. */
export const longText = () => kind(z.string(), { long: true })

/** A text that a client must send and not every record has: what is sent again of one without, as an import or an undo does. */
export const sentAs = <S extends z.core.$ZodType>(schema: S, absent: string) => kind(schema, { ...kindOf(schema), absent })

/** A text or a choice of codes that people read as words: the event `module_installed`. A text may be one that isn't known here. */
export const coded = <S extends z.core.$ZodType>(schema: S, words: Readonly<Record<string, string>>) => kind(schema, { words })

/** Required text: trimmed, not empty. */
export const text = (max = 255) => z.string().trim().min(1, 'Must not be empty.').max(max, `Must be at most ${max} characters.`)

/** What bank codes, addresses and heads of mails have in one line. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/u
export const oneLine = [
  (value: string) => !CONTROLS.test(value),
  'Must be one line, without tabs or other control characters.',
] as const
/** Required text of one line. */
export const line = (max = 255) => text(max).refine(...oneLine)
/** Optional text of one line: empty counts as null. */
export const optionalLine = (max = 255) =>
  z
    .string()
    .trim()
    .max(max, `Must be at most ${max} characters.`)
    .refine(...oneLine)
    .transform((value) => (value === '' ? null : value))
    .nullish()

/** Optional text: null, or whatever was written; an empty one counts as null. `format` says what it is without judging it. */
export const optionalText = (max = 65_535, format?: Exclude<TextFormat, 'uri' | 'website'>) =>
  z
    .string()
    .max(max, `Must be at most ${max} characters.`)
    .meta(format ? { format } : {})
    .transform((value) => (value.trim() === '' ? null : value))
    .nullish()

/** A scheme other than http(s), as `javascript:`; `host:8080` is none. Browsers pass over controls and spaces before it. */
const OTHER_SCHEME = /^(?!https?:\/\/)(?![^:/?#]+:\d{1,5}(?:[/?#]|$))[a-z][a-z\d+.-]*:/i

/** Optional address of a web site, with or without `https://`: screens link to it, so that no other scheme is taken. Empty counts as null. */
export const optionalWebsite = () =>
  z
    .string()
    .trim()
    .max(255, 'Must be at most 255 characters.')
    .refine(...oneLine)
    .refine((value) => !OTHER_SCHEME.test(value), 'Must be an address of the web, with https:// or without.')
    .meta({ format: 'website' })
    .transform((value) => (value === '' ? null : value))
    .nullish()

export const id = () => z.int('Must be an id (a whole number).').positive('Must be an id (a whole number above 0).')

export interface ReferenceOptions {
  /**
   * It may name a record without the permission to view it; the record's scope still holds. It shows the columns that it declares (id and title unless it
   * says otherwise) and nothing else of the record.
   */
  picker?: boolean
}

/** What the API documents say of a field that names a record. */
export const referenceMeta = (type: string, { picker }: ReferenceOptions = {}) => ({
  'x-refers-to': type,
  ...(picker ? { 'x-picker': true } : {}),
})

/**
 * The id of a record of another kind: `ref('vendor')`. Stored only when there is one that the actor may see, or by a picker name (422 on the field).
 */
export const ref = (type: SubjectType, options: ReferenceOptions = {}) =>
  kind(id(), { refers: type, ...options }).meta(referenceMeta(type, options))
export const optionalRef = (type: SubjectType, options?: ReferenceOptions) => ref(type, options).nullish()

/** A user of the workspace. */
export const userId = () => id().meta({ 'x-refers-to': 'user' })

/** What another system calls a record. */
export const externalId = () =>
  z.string().trim().min(1, 'Must not be empty.').max(255, 'Must be at most 255 characters.').nullish()

/** A calendar date that exists, `YYYY-MM-DD`. */
export const date = () =>
  z.iso
    .date({ error: 'Must be a date, YYYY-MM-DD.', abort: true })
    .refine((value) => value >= '0001-01-01', 'Must be a date after the year 0.')
export const optionalDate = () => date().nullish()

/** A time of the day to the minute: `09:00`. */
export const clockMinute = (example = '09:00') =>
  kind(z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, `Must be a time such as ${example}.`), { clock: true })

/** A time of the day by the workspace's clock: `09:00`, or `09:00:00` as it is kept. */
export const optionalClockTime = () =>
  kind(
    z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, 'Must be a time such as 09:00 or 09:00:00.')
      .transform((given) => given.padEnd(8, ':00'))
      .nullish(),
    { clock: true },
  )

const address = () => z.string().trim().toLowerCase().max(254)
const isAddress = () => z.email('Must be an e-mail address.')

export const email = () => address().pipe(isAddress()).meta({ format: 'email' })

/** An address or null; an empty text counts as null. */
export const optionalEmail = () =>
  address()
    .transform((value) => value || null)
    .pipe(isAddress().nullable())
    .meta({ format: 'email' })
    .nullish()

export const currency = () =>
  z
    .string()
    .toUpperCase()
    .length(3, 'Must be a 3-letter currency code.')
    .refine(isCurrency, { message: 'Must be an ISO 4217 currency code such as USD.', abort: true })
    .meta({ format: 'currency' })

export const timezone = () =>
  z.string().max(100).refine(isTimezone, 'Must be an IANA timezone such as Europe/Paris.').meta({ format: 'timezone' })

/** An instant as it is sent, by whatever offset; kept as UTC. `example` stands in what a wrong one is told. */
export const moment = (example: string) =>
  z.iso.datetime({ offset: true, error: `Must be an instant such as ${example}.` }).transform((written, ctx) => {
    const at = new Date(written)
    const year = at.getUTCFullYear() // PostgreSQL has no year 0, and more than four digits are written in another way
    if (year >= 1 && year <= 9999) return at.toISOString()
    ctx.issues.push({ code: 'custom', input: written, message: `Must be an instant of the years 1 to 9999, such as ${example}.` })
    return z.NEVER
  })

/** One of some words. */
export const choice = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.enum(values, `Must be one of ${values.join(', ')}.`)

/** An exact decimal that arrives as a JSON number and stays a decimal string from here on. */
export const decimal = (options: { places: number; min?: number; above?: number; max: number; format?: string }) => {
  const { places, min, above, max, format } = options
  const bounds = { ...(above === undefined ? { minimum: min } : { exclusiveMinimum: above }), maximum: max }
  return z
    .number('Must be a number.')
    .meta({ ...bounds, multipleOf: 10 ** -places, ...(format ? { format } : {}), ...(format === 'money' ? inCurrency() : {}) })
    .transform((value, issues) => {
      const exact = new Big(value)
      const complain = (message: string) => {
        issues.addIssue({ code: 'custom', message })
        return z.NEVER
      }
      if (above !== undefined && exact.lte(above)) return complain(`Must be above ${above}.`)
      if (min !== undefined && exact.lt(min)) return complain(`Must be ${min} or more.`)
      if (exact.gt(max)) return complain(`Must be at most ${max}.`)
      if (!exact.eq(exact.round(places, Big.roundDown))) return complain(`Must have at most ${places} decimals.`)
      return exact.toFixed()
    })
}

/** A whole number within bounds. What is wrong with one, whatever it is, is told with these. */
export const wholeNumber = (from: number, to: number) => z.int(`Must be a whole number from ${from} to ${to}.`).min(from).max(to)

const MAX = 999_999_999
const inCurrency = (field = 'currency') => ({ 'x-currency-field': field })

export const quantity = () => decimal({ places: 6, above: 0, max: MAX, format: 'quantity' })
/** A quantity that may be nothing: a level, a count. */
export const level = () => decimal({ places: 6, min: 0, max: MAX, format: 'quantity' })
export const unitPrice = () => decimal({ places: 6, min: 0, max: MAX, format: 'money' })
/** The price of a line that may take something off: a return, a deduction. */
export const signedUnitPrice = () => decimal({ places: 6, min: -MAX, max: MAX, format: 'money' })
/** An amount of money, with as many decimals as the currency with the most has; the currency at hand says how many count. */
export const amount = () => decimal({ places: 4, min: 0, max: 99_999_999_999, format: 'money' })
export const percentage = () => decimal({ places: 4, min: 0, max: 100, format: 'percentage' })

/** Query values are text: `1`, `true`, `0`, `false`. */
export const queryFlag = () =>
  z
    .enum(['1', '0', 'true', 'false'], 'Must be true or false.')
    .meta({ override: { type: 'boolean', enum: undefined } })
    .transform((value) => value === '1' || value === 'true')
export const queryId = () =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'Must be an id (a whole number).')
    .meta({ override: { type: 'integer', minimum: 1, pattern: undefined } })
    .transform(Number)

/** Values on their way out. */

type Exact = z.ZodType<number, number | string>

/** An exact decimal: decimal text inside, a JSON number in the reply. */
export const exact = (format: 'decimal' | 'quantity' | 'percentage' = 'decimal') =>
  kind(z.number(), { exact: true }).meta({ format }) as unknown as Exact
/** Money, in the currency that another field of the reply names; where there is none of that name, in the workspace's. */
export const money = (currencyField = 'currency') =>
  kind(z.number(), { exact: true }).meta({ format: 'money', ...inCurrency(currencyField) }) as unknown as Exact
/** Text of a kind: `formatted('phone')`. */
export const formatted = (format: TextFormat) => z.string().meta({ format })
/** The id of a record of another kind. Beside an embedded reference to it, the id needs no saying: the view derives it. */
export const refId = (type: SubjectType) => z.int().meta({ 'x-refers-to': type })
/** An instant, UTC. */
export const instant = () => kind(z.iso.datetime(), { instant: true })

/** A secret that is told in this reply and never again; null in a replay under the same Idempotency-Key. */
export const shownOnce = () => kind(z.string(), { shownOnce: true }).nullable()

/** The times of a row with a trash. */
export const trashStamps = { created_at: instant(), updated_at: instant(), deleted_at: instant().nullable() }
/** What every record of a workspace carries beside its own: what another system calls it, and its times. */
export const stamps = { external_id: z.string().nullable(), ...trashStamps }
/** The times of a row that is deleted for good at once. */
export const hardStamps = { created_at: instant(), updated_at: instant() }

/**
 * The schema of a change: every field of a creation, none of them required, and what isn't sent stays as it is.
 * Zod's own `.partial()` keeps defaults, by which an omitted field would be reset.
 */
export function changesOf<Shape extends z.ZodRawShape>(create: z.ZodObject<Shape>): z.ZodObject<ChangesOf<Shape>> {
  const fields = Object.entries(create.shape).map(([name, schema]) => {
    const inner = withoutDefault(schema as z.core.$ZodType)
    const said = inner === schema ? undefined : z.globalRegistry.get(schema as z.core.$ZodType)
    return [name, said ? z.optional(inner).meta(said) : z.optional(inner)]
  })
  return z.object(Object.fromEntries(fields)) as never
}

type ChangesOf<Shape extends z.ZodRawShape> = { [K in keyof Shape]: z.ZodOptional<WithoutDefault<Shape[K]>> }
type WithoutDefault<S> = S extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner> ? Inner : S
