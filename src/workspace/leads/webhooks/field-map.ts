/** Maps a delivered body to the fields of a lead, by their own names or by the endpoint's map. */
import { isUtf8 } from 'node:buffer'
import { domainToASCII } from 'node:url'
import { z } from 'zod'
import { badRequest, HttpError, invalid } from '#kernel/errors.ts'
import { parse } from '#kernel/http/input.ts'
import { choice } from '#kernel/values/fields.ts'
import { CreateLead } from '../schema.ts'
import { formIn } from './form-body.ts'

/** Schema of a delivered lead; its type defaults to `direct`. */
export const ArrivingLead = z.object({ ...CreateLead.shape, lead_type: CreateLead.shape.lead_type.default('direct') })

/** Parts that form the name when no whole name is sent. */
const NAME_PARTS = ['first_name', 'last_name'] as const
type LeadField = keyof typeof CreateLead.shape
type Field = LeadField | (typeof NAME_PARTS)[number]
const fields = [...(Object.keys(CreateLead.shape) as [LeadField, ...LeadField[]]), ...NAME_PARTS] as const
/** Forms send numbers as text. */
const numbers: readonly Field[] = ['lead_value', 'estimated_value', 'stage_id', 'assigned_to']

const MAX_KEYS = 100

/** `{incoming key: lead field}` */
export const FieldMap = z
  .record(z.string().min(1, 'Must not be empty.').max(100, 'Must be at most 100 characters.'), choice(fields))
  .refine((map) => Object.keys(map).length <= MAX_KEYS, `Must be at most ${MAX_KEYS} keys.`)
  .refine((map) => new Set(Object.values(map)).size === Object.keys(map).length, 'Must give each lead field one key at most.')
export type FieldMap = z.output<typeof FieldMap>

/** Parses a body (form or JSON) into a lead. 400 for any other type; 422 with the sender's field names. */
export async function readLead(raw: Buffer, map: FieldMap, contentType?: string): Promise<z.output<typeof ArrivingLead>> {
  const body = (await formIn(raw, contentType)) ?? objectOf(raw)
  const names = namesIn(body, map)
  const sent = [...names].flatMap(([field, name]) => {
    const value = cleaned(field, body.get(name))
    return value === undefined ? [] : [[field, value]]
  })
  try {
    return parse(ArrivingLead, withName(Object.fromEntries(sent), names))
  } catch (error) {
    throw error instanceof HttpError && error.errors ? invalid(renamed(error.errors, names)) : error
  }
}

/** Forms the name from its parts where it is missing. Errors of that name are reported on the first part sent. */
function withName(lead: Record<string, unknown>, names: Map<Field, string>): Record<string, unknown> {
  const { first_name, last_name, ...rest } = lead
  const parts = { first_name, last_name }
  const sent = NAME_PARTS.filter((part) => parts[part] !== undefined)
  if (rest.name !== undefined || !sent.length) return rest
  for (const part of sent) if (typeof parts[part] !== 'string') throw invalid({ [names.get(part) ?? part]: 'Must be text.' })
  names.set('name', names.get(sent[0]!) ?? sent[0]!)
  return { ...rest, name: sent.map((part) => String(parts[part]).trim()).join(' ') }
}

/** Returns the body's key of each field: the mapped one, or the field's own name unless that is mapped to another field. */
function namesIn(body: Map<string, unknown>, map: FieldMap): Map<Field, string> {
  const mapped = new Map(Object.entries(map).map(([key, field]) => [field, key]))
  return new Map(
    fields.flatMap((field) => {
      const possible = [mapped.get(field), Object.hasOwn(map, field) ? undefined : field].filter((name) => name !== undefined)
      const name = possible.find((one) => body.has(one)) ?? possible[0]
      return name === undefined ? [] : [[field, name] as const]
    }),
  )
}

/** Converts errors by lead field to errors by the sender's keys. */
function renamed(errors: Record<string, string[]>, names: Map<string, string>) {
  return Object.fromEntries(
    Object.entries(errors).map(([path, said]) => {
      const [field = '', ...rest] = path.split('.')
      return [[names.get(field) ?? field, ...rest].join('.'), said]
    }),
  )
}

function objectOf(raw: Buffer): Map<string, unknown> {
  if (!isUtf8(raw)) throw badRequest('The body must be JSON in UTF-8.')
  let body: unknown
  try {
    body = JSON.parse(raw.toString('utf8'))
  } catch {
    throw badRequest('The body must be JSON.')
  }
  if (!body || typeof body !== 'object' || Array.isArray(body)) throw badRequest('The body must be a JSON object.')
  return new Map(Object.entries(body))
}

/** Drops values that a form leaves empty. */
function cleaned(field: Field, value: unknown) {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return undefined
  if (field === 'email') return withAsciiDomain(value)
  return numbers.includes(field) && /^\d{1,15}(\.\d{1,15})?$/.test(value.trim()) ? Number(value) : value
}

/**
 * Converts the domain of an email address to ASCII, as mail servers need it: `ann@müller.example` becomes
 * `ann@xn--mller-kva.example`.
 */
function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1).trim()
  if (at < 1 || /^[\x20-\x7e]*$/.test(domain)) return address
  return `${address.slice(0, at + 1)}${domainToASCII(domain) || domain}`
}
