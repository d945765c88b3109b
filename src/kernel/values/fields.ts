/** The kinds of value that bodies and replies are made of, each with its limit and a message that says what would be right. */
import Big from 'big.js'
import { z } from 'zod'
import { isCurrency } from './money.ts'
import { isTimezone } from './time.ts'

/** Required text: trimmed, not empty. */
export const text = (max = 255) => z.string().trim().min(1, 'Must not be empty.').max(max, `Must be at most ${max} characters.`)

/** Optional text: null, or whatever was written; an empty one counts as null. */
export const optionalText = (max = 65_535) =>
  z
    .string()
    .max(max, `Must be at most ${max} characters.`)
    .transform((value) => (value.trim() === '' ? null : value))
    .nullish()

export const id = () => z.int('Must be an id (a whole number).').positive('Must be an id (a whole number above 0).')
export const optionalId = () => id().nullish()

/** A calendar date that exists, `YYYY-MM-DD`. */
export const date = () =>
  z.iso
    .date({ error: 'Must be a date, YYYY-MM-DD.', abort: true })
    .refine((value) => value >= '0001-01-01', 'Must be a date after the year 0.')
export const optionalDate = () => date().nullish()

export const email = () => z.string().trim().toLowerCase().max(254).pipe(z.email('Must be an e-mail address.'))

export const currency = () =>
  z
    .string()
    .toUpperCase()
    .length(3, 'Must be a 3-letter currency code.')
    .refine(isCurrency, { message: 'Must be an ISO 4217 currency code such as USD.', abort: true })

export const timezone = () => z.string().refine(isTimezone, 'Must be an IANA timezone such as Europe/Paris.')

/** An exact decimal that arrives as a JSON number and stays a decimal string from here on. */
export const decimal = (options: { places: number; min?: number; above?: number; max: number }) =>
  z.number('Must be a number.').transform((value, issues) => {
    const exact = new Big(value)
    const { places, min, above, max } = options
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

export const quantity = () => decimal({ places: 6, above: 0, max: 999_999_999 })
export const unitPrice = () => decimal({ places: 6, min: 0, max: 999_999_999 })
export const percentage = () => decimal({ places: 4, min: 0, max: 100 })

/** Query values are text: `1`, `true`, `0`, `false`. */
export const queryFlag = () =>
  z.enum(['1', '0', 'true', 'false'], 'Must be true or false.').transform((value) => value === '1' || value === 'true')
export const queryId = () =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'Must be an id (a whole number).')
    .transform(Number)

/** An instant on its way out. */
export const instant = () => z.iso.datetime()
