/**
 * Field types of request bodies and replies. Each is declared once with its limits, error message and meaning (id of a vendor,
 * money in a currency). Validation, SQL, the API documents and generated clients use them.
 */
import Big from 'big.js'
import { z } from 'zod'
import type { SubjectType } from '../names.ts'
import { isCurrency } from './money.ts'
import { definitionOf, withoutDefault } from './schema-definition.ts'
import { isTimezone } from './time.ts'

/** Properties of a field beyond its validation. */
interface Kind {
  /** Type of the referenced record, which is looked up before the id is stored. */
  refers?: SubjectType
  /** Permits a reference to a record that the actor may not view. */
  picker?: boolean
  /** Numeric column: decimal text inside, a JSON number outside. */
  exact?: true
  /** timestamptz column: UTC with Z in JSON. */
  instant?: true
  /** Text of any length. Lists are sorted by its beginning. */
  long?: true
  /** Secret that is returned once. A replayed reply has null instead. */
  shownOnce?: true
  /** Display texts of the known codes in this field. */
  words?: Readonly<Record<string, string>>
  /** Time of day. */
  clock?: true
  /** Value to send for a record without one. */
  absent?: string
}

const kinds = z.registry<Kind>()

function kind<S extends z.core.$ZodType>(schema: S, is: Kind): S {
  kinds.add(schema, is)
  return schema
}

/** Returns a field's properties, also if it is wrapped (nullable, optional, with a default). */
export function kindOf(schema: z.core.$ZodType): Kind {
  const found = kinds.get(schema)
  const inner = definitionOf(schema).innerType
  return found ?? (inner ? kindOf(inner) : {})
}

/** Format of a text, which determines its display and link. */
type TextFormat = 'email' | 'phone' | 'uri' | 'website' | 'html' | 'currency' | 'timezone'

/** Reply text that may be long: lists are sorted by its first hundred characters. */
export const longText = () => kind(z.string(), { long: true })

/** Required input text that some records lack. `absent` is sent for them when an import or an undo sends the record again. */
export const sentAs = <S extends z.core.$ZodType>(schema: S, absent: string) => kind(schema, { ...kindOf(schema), absent })

/** Text or enumeration of codes with display texts: the event `module_installed`. A text may contain unknown codes. */
export const coded = <S extends z.core.$ZodType>(schema: S, words: Readonly<Record<string, string>>) => kind(schema, { words })

/** Required text: trimmed, not empty. */
export const text = (max = 255) => z.string().trim().min(1, 'Must not be empty.').max(max, `Must be at most ${max} characters.`)

/** Control characters, which bank codes, addresses and mail headers must not contain. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/u
/** Arguments of `refine` for single-line text. */
export const oneLine = [
  (value: string) => !CONTROLS.test(value),
  'Must be one line, without tabs or other control characters.',
] as const
/** Required single-line text. */
export const line = (max = 255) => text(max).refine(...oneLine)
/** Optional single-line text. Empty counts as null. */
export const optionalLine = (max = 255) =>
  z
    .string()
    .trim()
    .max(max, `Must be at most ${max} characters.`)
    .refine(...oneLine)
    .transform((value) => (value === '' ? null : value))
    .nullish()

/** Optional text, unchanged; blank counts as null. `format` is documented but not validated. */
export const optionalText = (max = 65_535, format?: Exclude<TextFormat, 'uri' | 'website'>) =>
  z
    .string()
    .max(max, `Must be at most ${max} characters.`)
    .meta(format ? { format } : {})
    .transform((value) => (value.trim() === '' ? null : value))
    .nullish()

/**
 * Matches a scheme other than http(s), such as `javascript:`, but not `host:8080`. Browsers ignore control characters and spaces
 * in front of a scheme.
 */
const OTHER_SCHEME = /^(?!https?:\/\/)(?![^:/?#]+:\d{1,5}(?:[/?#]|$))[a-z][a-z\d+.-]*:/i

/** Optional web address, with or without `https://`. Screens link to it, so other schemes are rejected. Empty counts as null. */
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
   * Permits a reference without the permission to view the record; the record's scope still applies. Replies then contain only
   * its declared columns (by default id and title).
   */
  picker?: boolean
}

/** Returns the API documents' metadata of a reference. */
export const referenceMeta = (type: string, { picker }: ReferenceOptions = {}) => ({
  'x-refers-to': type,
  ...(picker ? { 'x-picker': true } : {}),
})

/**
 * Id of another record: `ref('vendor')`. Rejected with a 422 on the field unless the actor may see the record, or it is
 * referenced as a picker.
 */
export const ref = (type: SubjectType, options: ReferenceOptions = {}) =>
  kind(id(), { refers: type, ...options }).meta(referenceMeta(type, options))
export const optionalRef = (type: SubjectType, options?: ReferenceOptions) => ref(type, options).nullish()

/** Id of a user of the workspace. */
export const userId = () => id().meta({ 'x-refers-to': 'user' })

/** Id of the record in another system. */
export const externalId = () =>
  z.string().trim().min(1, 'Must not be empty.').max(255, 'Must be at most 255 characters.').nullish()

/** Existing calendar date, `YYYY-MM-DD`. */
export const date = () =>
  z.iso
    .date({ error: 'Must be a date, YYYY-MM-DD.', abort: true })
    .refine((value) => value >= '0001-01-01', 'Must be a date after the year 0.')
export const optionalDate = () => date().nullish()

/** Time of day to the minute: `09:00`. */
export const clockMinute = (example = '09:00') =>
  kind(z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, `Must be a time such as ${example}.`), { clock: true })

/** Time of day in the workspace's time zone: `09:00`, or `09:00:00` as it is stored. */
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

/** E-mail address or null. Empty text counts as null. */
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

/** Instant with any offset, stored as UTC. `example` appears in the error message. */
export const moment = (example: string) =>
  z.iso.datetime({ offset: true, error: `Must be an instant such as ${example}.` }).transform((written, ctx) => {
    const at = new Date(written)
    const year = at.getUTCFullYear() // PostgreSQL has no year 0, and years of more than four digits have another format
    if (year >= 1 && year <= 9999) return at.toISOString()
    ctx.issues.push({ code: 'custom', input: written, message: `Must be an instant of the years 1 to 9999, such as ${example}.` })
    return z.NEVER
  })

/** One of the given values. */
export const choice = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.enum(values, `Must be one of ${values.join(', ')}.`)

/** Exact decimal: arrives as a JSON number and is a decimal string from here on. */
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

/** Integer within bounds. One message covers every violation. */
export const wholeNumber = (from: number, to: number) => z.int(`Must be a whole number from ${from} to ${to}.`).min(from).max(to)

const MAX = 999_999_999
const inCurrency = (field = 'currency') => ({ 'x-currency-field': field })

export const quantity = () => decimal({ places: 6, above: 0, max: MAX, format: 'quantity' })
/** Quantity that may be 0: a level, a count. */
export const level = () => decimal({ places: 6, min: 0, max: MAX, format: 'quantity' })
export const unitPrice = () => decimal({ places: 6, min: 0, max: MAX, format: 'money' })
/** Price of a line that may be negative: a return, a deduction. */
export const signedUnitPrice = () => decimal({ places: 6, min: -MAX, max: MAX, format: 'money' })
/** Amount of money with the decimals of the currency that has most. How many are permitted depends on the record's currency. */
export const amount = () => decimal({ places: 4, min: 0, max: 99_999_999_999, format: 'money' })
export const percentage = () => decimal({ places: 4, min: 0, max: 100, format: 'percentage' })

/** Boolean query parameter: `1`, `true`, `0`, `false`. */
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

/** Field types of replies. */

type Exact = z.ZodType<number, number | string>

/** Exact decimal: decimal text inside, a JSON number in the reply. */
export const exact = (format: 'decimal' | 'quantity' | 'percentage' = 'decimal') =>
  kind(z.number(), { exact: true }).meta({ format }) as unknown as Exact
/** Money in the currency of the reply's field `currencyField`; in the workspace's if there is no such field. */
export const money = (currencyField = 'currency') =>
  kind(z.number(), { exact: true }).meta({ format: 'money', ...inCurrency(currencyField) }) as unknown as Exact
/** Text with a format: `formatted('phone')`. */
export const formatted = (format: TextFormat) => z.string().meta({ format })
/** Id of another record. Not needed next to an embedded reference, because the view derives it. */
export const refId = (type: SubjectType) => z.int().meta({ 'x-refers-to': type })
/** Instant in UTC. */
export const instant = () => kind(z.iso.datetime(), { instant: true })

/** Secret that only this reply contains; null in a replay under the same Idempotency-Key. */
export const shownOnce = () => kind(z.string(), { shownOnce: true }).nullable()

/** Timestamps of a row with a trash. */
export const trashStamps = { created_at: instant(), updated_at: instant(), deleted_at: instant().nullable() }
/** Common fields of every workspace record: its external id and timestamps. */
export const stamps = { external_id: z.string().nullable(), ...trashStamps }
/** Timestamps of a row without a trash. */
export const hardStamps = { created_at: instant(), updated_at: instant() }

/**
 * Returns the schema of an update: all fields of the creation, each optional; omitted fields stay unchanged. Zod's `.partial()`
 * keeps defaults, which would reset omitted fields.
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
