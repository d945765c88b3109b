/**
 * Imports rows as records: each through the route that creates or changes one, with its checks and the actor's permissions. A
 * failing row is rolled back alone.
 */
import type { Ctx } from '#kernel/context.ts'
import type { refusalOf } from '#kernel/database/failures.ts'
import { type FieldErrors, HttpError, invalid } from '#kernel/errors.ts'
import { refersToAny } from '#kernel/export/record-columns.ts'
import { performWithin, routeOf, sentFor } from '#kernel/http/collections.ts'
import { sanitizeFormatted } from '#kernel/http/formatted-texts.ts'
import { parse } from '#kernel/http/input.ts'
import type { Route } from '#kernel/http/route.ts'
import { cellError } from '#kernel/import/cell-errors.ts'
import { type Cells, type ImportField, readRows, type Said } from '#kernel/import/cells.ts'
import { doEach } from '#kernel/import/each.ts'
import type { FileRow } from '#kernel/import/table.ts'
import { type Done, followed, type Step } from '#kernel/import/undo.ts'
import { lockByExternalId } from '#kernel/records/external-ids.ts'
import { JsonText } from '#kernel/records/view.ts'
import { withSanitized } from '#kernel/values/html.ts'
import { singular } from '#kernel/values/words.ts'
import type { Columns, Failure, Target } from './imports.ts'

export interface Outcome {
  done: Done[]
  failures: Failure[]
  /**
   * Changes to other records than the rows' own, such as to the previous default warehouse when another one becomes the default.
   */
  besides: Step[]
}

/** A row during the import, with its parsed values. */
interface Reading {
  row: FileRow
  /** Id of the record that the row changes. */
  id: string | undefined
  said: Said
}

/**
 * Imports rows as if one after the other, in the order of the file. References are looked up for all rows in advance, unless they
 * may refer to records of earlier rows.
 */
export async function importRows(
  ctx: Ctx,
  target: Target,
  { headers, mapping, notation }: Columns,
  rows: FileRow[],
): Promise<Outcome> {
  const places = new Map(Object.entries(mapping).map(([field, header]) => [field, headers.indexOf(header)]))
  const cellsOf = ({ n, cells, numeric = [] }: FileRow): { cells: Cells; errors: FieldErrors } => {
    const texts: Record<string, string> = {}
    const errors: FieldErrors = {}
    for (const [field, place] of places) {
      const error = cellError(cells[place], place, n)
      if (error) errors[field] = [error]
      texts[field] = error ? '' : (cells[place] ?? '')
    }
    const numbers = [...places].flatMap(([field, place]) => (numeric.includes(place) ? [field] : []))
    return { cells: { texts, numeric: new Set(numbers) }, errors }
  }
  const fields = target.fields.filter(({ field }) => places.has(field))
  const mayMentionEachOther = fields.some(({ schema }) => refersToAny(schema, singular(target.collection.of.table)))
  const reading = async (some: FileRow[]): Promise<Reading[]> => {
    const all = some.map(cellsOf)
    const said = await readRows(
      ctx,
      fields,
      all.map(({ cells }) => cells),
      notation,
    )
    return some.map((row, n) => {
      const { cells, errors } = all[n]!
      return { row, id: cells.texts.id?.trim() || undefined, said: whole(row, headers, withErrors(said[n]!, errors)) }
    })
  }
  const { table } = target.collection.of
  const outcome: Outcome = { done: [], failures: [], besides: [] }
  const work = {
    async one(part: Ctx, { row, id, said }: Reading): Promise<Came> {
      const { inner, steps } = followed(part, table)
      const done = await importRow(inner, target, fields, id, said)
      const own = steps.get(done.record_id)
      return {
        done: { row_number: row.n, ...done, revision_before: done.before ? (own?.from ?? done.revision) : null },
        besides: [...steps.values()].filter((one) => one !== own),
      }
    },
    refused: ({ row }: Reading, { message, errors = { '': [message] } }: Refusal): Came => ({ failure: { row, errors } }),
    areApart: (some: Reading[]) => areApart(target, some),
    isUnsound: (one: Reading) => isUnsound(target, one),
  }
  const each = (some: Reading[]) => sanitizedRows(ctx, target, some, (readable) => doEach(ctx, readable, work))
  for (const some of mayMentionEachOther ? rows.map((row) => [row]) : [rows])
    for (const came of await each(await reading(some))) {
      if ('failure' in came) outcome.failures.push(came.failure)
      else {
        outcome.done.push(came.done)
        outcome.besides.push(...came.besides)
      }
    }
  return outcome
}

/**
 * Does the work with formatted texts sanitised in advance, for all rows at once. Rows with unreadable HTML get their own error.
 */
async function sanitizedRows<T>(
  { services, tenant }: Ctx,
  { create, update }: Target,
  rows: Reading[],
  work: (rows: Reading[]) => Promise<T>,
): Promise<T> {
  const schemas = [create.spec.body, update?.spec.body]
  const sanitize = (some: Reading[]) =>
    sanitizeFormatted(
      services,
      tenant.id,
      schemas,
      some.map(({ said }) => said.changed),
    )
  const together = await sanitize(rows).catch(unlessUnreadable)
  if (!('unreadable' in together)) return withSanitized(together, () => work(rows))
  const results = new Map<string, string>()
  const readable: Reading[] = []
  for (const row of rows) {
    const alone = await sanitize([row]).catch(unlessUnreadable)
    if ('unreadable' in alone) readable.push({ ...row, said: withoutFields(row.said, alone.unreadable) })
    else {
      readable.push(row)
      for (const [text, result] of alone) results.set(text, result)
    }
  }
  return withSanitized(results, () => work(readable))
}

function unlessUnreadable(error: unknown): { unreadable: FieldErrors } {
  if (error instanceof HttpError && error.errors) return { unreadable: error.errors }
  throw error
}

/** Returns a row without its unreadable fields: `0.lines.2.body` belongs to the field `lines`. */
function withoutFields(said: Said, unreadable: FieldErrors): Said {
  const errors = Object.fromEntries(Object.entries(unreadable).map(([path, messages]) => [path.split('.')[1]!, messages]))
  const without = (fields: object) => Object.fromEntries(Object.entries(fields).filter(([field]) => !(field in errors)))
  return { made: without(said.made), changed: without(said.changed), errors: { ...said.errors, ...errors } }
}

const withErrors = (said: Said, errors: FieldErrors): Said =>
  Object.keys(errors).length ? { ...said, errors: { ...said.errors, ...errors } } : said

/**
 * Rejects a row with more cells than the file has columns: an unquoted comma has shifted its cells, so their columns are unknown.
 */
const whole = ({ cells }: FileRow, headers: string[], said: Said): Said =>
  cells.slice(headers.length).some((cell) => cell.trim())
    ? { ...said, errors: { ...said.errors, '': [`Has ${cells.length} cells, and the file ${headers.length} columns.`] } }
    : said

type Refusal = ReturnType<typeof refusalOf>
type Came = { failure: Failure } | { done: Done; besides: Step[] }

const nameOf = ({ said }: Reading): string | undefined => {
  const name = said.made.external_id
  return typeof name === 'string' && name.trim().length <= 255 ? name.trim() || undefined : undefined
}

/**
 * Whether rows concern different records, through routes that the database can process for several at once. Either all are looked
 * up by a name, or none, so that new records get ids in the order of the rows.
 */
function areApart({ collection: { plain } }: Target, some: Reading[]): boolean {
  const names = some.map((one) => one.id ?? nameOf(one))
  const given = new Set(names.filter((name) => name !== undefined))
  if (!given.size) return plain.has('create')
  const areOfOneKind = some.every(({ id }) => id) || some.every(({ id }) => !id)
  return plain.has('create') && plain.has('update') && areOfOneKind && given.size === names.length
}

/** Whether the row is valid neither as a new record nor as a change. */
function isUnsound({ create, update }: Target, one: Reading): boolean {
  const { id, said } = one
  if (said.errors) return true
  const isNamed = id !== undefined || nameOf(one) !== undefined
  const isRead = ({ spec }: Route, sent: unknown) => {
    try {
      parse(spec.body!, sent)
      return true
    } catch {
      return false
    }
  }
  return !(isNamed && update && isRead(update, said.changed)) && !(!id && isRead(create, said.made))
}

async function importRow(
  ctx: Ctx,
  target: Target,
  fields: ImportField[],
  id: string | undefined,
  said: Said,
): Promise<Omit<Done, 'row_number' | 'revision_before'>> {
  const { collection, create, update } = target
  const { of } = collection
  const found = id ? await recordOf(ctx, target, id) : await calledSo(ctx, target, said.made.external_id)
  if (!found) {
    routeOf(ctx, collection, 'create')
    const body = bodyOf(create, said.made, said.errors)
    return { ...stateOf(await performWithin(ctx, create, undefined, body)), before: null }
  }
  if (!update) throw invalid({ [id ? 'id' : 'external_id']: `There is such a ${of.noun} already, and none is ever changed.` })
  routeOf(ctx, collection, 'update')
  const body = bodyOf(update, said.changed, said.errors)
  const before = await sentFor(
    ctx,
    collection,
    [found],
    fields.map(({ field }) => field),
  )
  return { ...stateOf(await performWithin(ctx, update, found, body)), before: before.get(found)! }
}

/**
 * Returns the body for a route. 422 with all errors of the row: those of its cells, and those of the body's rules for the other
 * fields.
 */
function bodyOf({ spec }: Route, sent: Record<string, unknown>, unreadable: FieldErrors | undefined): unknown {
  try {
    const body = parse(spec.body!, sent)
    if (!unreadable) return body
  } catch (error) {
    if (!(error instanceof HttpError && error.errors)) throw error
    throw invalid({ ...error.errors, ...unreadable })
  }
  throw invalid(unreadable)
}

/** Returns the record with the row's id, locked. */
async function recordOf(ctx: Ctx, { collection: { of } }: Target, id: string): Promise<number> {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw invalid({ id: 'Must be an id (a whole number above 0).' })
  try {
    const { id: found } = (await of.lock(ctx, Number(id))) as { id: number }
    return found
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) throw invalid({ id: error.message })
    throw error
  }
}

/**
 * Returns the record with this external id, locked. Undefined if there is none; this transaction then holds a lock on the
 * external id.
 */
async function calledSo(ctx: Ctx, { collection: { of } }: Target, name: unknown): Promise<number | undefined> {
  if (typeof name !== 'string' || !name.trim() || name.trim().length > 255) return undefined
  return ((await lockByExternalId(ctx, of, name.trim())) as { id: number } | undefined)?.id
}

function stateOf(reply: unknown): { record_id: number; revision: number } {
  const [, id, revision] = (reply instanceof JsonText && /^"(\d+)-(\d+)"$/.exec(reply.etag ?? '')) || []
  if (!id) throw new Error('A route of a record answered none.')
  return { record_id: Number(id), revision: Number(revision) }
}
