/**
 * Size limits of a body, derived from its schema. Sizes are checked before anything reads the body's texts: a check that runs
 * over a megabyte where 200 characters are allowed would block the event loop for every request.
 */
import type { z } from 'zod'
import { badRequest, type FieldErrors } from '../errors.ts'
import { type Definition, definitionOf, partOfPipe } from '../values/schema-definition.ts'

/** Texts up to this length are still parsed, so that ordinary mistakes are reported together with all other errors. */
const longestRead = (max: number) => 4 * max + 1000

type Check = (value: unknown, path: readonly (string | number)[], wrong: FieldErrors) => void

/** Returns errors for values that are far too large, by field. Checks only lengths, and only of fields that the schema has. */
export function oversized(schema: z.core.$ZodType, value: unknown): FieldErrors | undefined {
  const wrong: FieldErrors = {}
  checkOf(schema)(value, [], wrong)
  return Object.keys(wrong).length ? wrong : undefined
}

const judges = new WeakMap<z.core.$ZodType, Check>()
const checkOf = (schema: z.core.$ZodType): Check => judges.getOrInsertComputed(schema, makeJudge)
const accept: Check = () => {}

function makeJudge(schema: z.core.$ZodType): Check {
  const def = definitionOf(schema)
  if (def.type === 'string') return checkText(schema)
  if (def.type === 'array') return checkList(def)
  if (def.type === 'object') return checkObject(def.shape!)
  if (def.type === 'record') return checkRecord(checkOf(def.valueType!))
  if (def.type === 'union') return checkUnion(def.options!.map(checkOf))
  if (def.type === 'intersection') return both(checkOf(def.left!), checkOf(def.right!))
  if (def.type === 'pipe') return checkOf(partOfPipe(def))
  if (def.type === 'lazy') return (value, path, wrong) => checkOf(def.getter!())(value, path, wrong)
  return def.innerType ? checkOf(def.innerType) : accept
}

function checkText(schema: z.core.$ZodType): Check {
  const { maxLength } = schema as z.ZodString
  if (maxLength === null) return accept
  const longest = longestRead(maxLength)
  return (value, path, wrong) => {
    if (typeof value === 'string' && value.length > longest)
      (wrong[nameOf(path)] ??= []).push(`Must be at most ${maxLength} characters.`)
  }
}

/** Maximum number of entries of a list, and the check that has its error message. */
function mostEntries({ checks = [] }: Definition) {
  const check = checks.map((one) => one._zod.def).find((one) => one.check === 'max_length' || one.check === 'length_equals')
  return { most: check?.maximum ?? check?.length ?? Infinity, check }
}

function checkList(def: Definition): Check {
  const entry = checkOf(def.element!)
  const { most, check } = mostEntries(def)
  return (value, path, wrong) => {
    if (!Array.isArray(value)) return
    if (value.length > most) {
      const said = check?.error?.({ code: 'too_big', origin: 'array', maximum: most, input: value })
      const message = typeof said === 'object' ? said.message : said
      ;(wrong[nameOf(path)] ??= []).push(message ?? `Must have at most ${most} ${most === 1 ? 'entry' : 'entries'}.`)
    } else if (entry !== accept) for (const [n, one] of value.entries()) entry(one, [...path, n], wrong)
  }
}

function checkObject(shape: Record<string, z.core.$ZodType>): Check {
  const fields = Object.entries(shape).flatMap(([name, field]) => {
    const judge = checkOf(field)
    return judge === accept ? [] : [[name, judge] as const]
  })
  if (!fields.length) return accept
  return (value, path, wrong) => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, judge] of fields)
      if (Object.hasOwn(value, name)) judge((value as Record<string, unknown>)[name], [...path, name], wrong)
  }
}

const checkRecord =
  (entry: Check): Check =>
  (value, path, wrong) => {
    if (entry === accept || typeof value !== 'object' || value === null) return
    for (const [name, one] of Object.entries(value)) entry(one, [...path, name], wrong)
  }

/** Accepts a value that at least one option accepts. */
const checkUnion =
  (options: Check[]): Check =>
  (value, path, wrong) => {
    const told = options.map((judge) => {
      const its: FieldErrors = {}
      judge(value, path, its)
      return its
    })
    if (told.every((its) => Object.keys(its).length)) Object.assign(wrong, told[0])
  }

const both =
  (left: Check, right: Check): Check =>
  (value, path, wrong) => {
    left(value, path, wrong)
    right(value, path, wrong)
  }

const nameOf = (path: readonly (string | number)[]) => path.join('.') || 'body'

const KILOBYTE = 1024
const SMALLEST = 16 * KILOBYTE
/** Maximum size of a body without files, in bytes. */
export const MAX_BODY_BYTES = 1024 * KILOBYTE
/** A character takes six bytes if a client escapes everything (`\u00e4`). */
const BYTES_OF_CHARACTER = 6

/**
 * Maximum size of a JSON body of this schema, in bytes: the size of its largest valid content, but at least 16 KB and at most 1
 * MB. Sign-in and most public routes get the minimum; routes with lines or formatted texts get the maximum.
 */
export function maxBodyBytes(schema: z.core.$ZodType | undefined): number {
  const largest = schema ? bytesOf(schema) * 1.25 : 0 // allowance for whitespace
  return Math.min(MAX_BODY_BYTES, Math.max(SMALLEST, Math.ceil(largest)))
}

function bytesOf(schema: z.core.$ZodType): number {
  const def = definitionOf(schema)
  switch (def.type) {
    case 'string':
      // 100 characters for texts without a limit of their own, such as dates and UUIDs.
      return ((schema as z.ZodString).maxLength ?? 100) * BYTES_OF_CHARACTER
    case 'number':
    case 'boolean':
    case 'null':
    case 'literal':
    case 'enum':
      return 100
    case 'object':
      return Object.entries(def.shape!).reduce((sum, [name, field]) => sum + name.length + 8 + bytesOf(field), 2)
    case 'array':
      return mostEntries(def).most * (bytesOf(def.element!) + 4)
    case 'union':
      return Math.max(...def.options!.map(bytesOf))
    case 'intersection':
      return bytesOf(def.left!) + bytesOf(def.right!)
    case 'pipe':
      return bytesOf(partOfPipe(def))
    default:
      return def.innerType ? bytesOf(def.innerType) : Infinity
  }
}

/** Maximum number of values in a body: texts, numbers, lists and objects together. */
export const MAX_VALUES = 50_000

export const tooManyValues = () => badRequest(`The body holds more than ${MAX_VALUES} values.`)

/**
 * Returns 400 for JSON with more than MAX_VALUES values, by counting commas and brackets before parsing: parsing a megabyte of
 * `{}` takes a fifth of a second, and anyone could send it.
 */
export function manyValuesIn(json: Uint8Array) {
  if (json.length <= MAX_VALUES) return undefined
  let [commas, openings, isText] = [0, 0, false]
  for (let n = 0; n < json.length; n++) {
    const byte = json[n]
    if (isText) {
      if (byte === 0x5c) n++
      else if (byte === 0x22) isText = false
    } else if (byte === 0x22) isText = true
    else if (byte === 0x2c) commas++
    else if (byte === 0x5b || byte === 0x7b) openings++
  }
  return Math.max(commas, openings) > MAX_VALUES ? tooManyValues() : undefined
}
