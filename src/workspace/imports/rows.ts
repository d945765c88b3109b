/** Rows become records: each through the route that makes or changes one, with its checks and the actor's permissions, undone alone where it fails. */
import type { Ctx } from '#kernel/context.ts'
import { HttpError, invalid } from '#kernel/errors.ts'
import { refersToAny } from '#kernel/export/record-columns.ts'
import { perform, refusalOf, routeOf, sentFor } from '#kernel/http/collections.ts'
import { parse } from '#kernel/http/input.ts'
import { type Cells, type ImportField, readRows, type Said } from '#kernel/import/cells.ts'
import type { FileRow } from '#kernel/import/table.ts'
import { lockByExternalId } from '#kernel/records/external-ids.ts'
import { JsonText } from '#kernel/records/view.ts'
import { singular } from '#kernel/values/words.ts'
import type { Failure, Target } from './imports.ts'
import type { Mapping } from './schema.ts'

/** What became of a record. */
export interface Done {
  record_id: number
  row_number: number
  /** Behind the change. */
  revision: number
  /** In front of it; null: it is new. */
  revision_before: number | null
  /** What would be sent to have it as it was; null: it is new. */
  before: object | null
}

/** A record that is another revision now. */
export interface Step {
  record_id: number
  from: number
  to: number
}

export interface Outcome {
  done: Done[]
  failures: Failure[]
  /** What rows changed besides the records that they are about, as the default warehouse is changed by another one that becomes it. */
  besides: Step[]
}

/** A context in which it is noted how records of the table, by their ids, move on. */
export function followed(ctx: Ctx, table: string): { inner: Ctx; steps: Map<number, Step> } {
  const steps = new Map<number, Step>()
  const inner: Ctx = {
    ...ctx,
    revised(of, { id, revision: to }) {
      if (of === table) steps.set(id, { record_id: id, from: steps.get(id)?.from ?? to - 1, to })
    },
  }
  return { inner, steps }
}

/** Imports rows one after the other, in the order of the file. What one of them mentions is looked up beforehand, unless it may be a record of an earlier row. */
export async function importRows(
  ctx: Ctx,
  target: Target,
  headers: string[],
  mapping: Mapping,
  rows: FileRow[],
): Promise<Outcome> {
  const places = new Map(Object.entries(mapping).map(([field, header]) => [field, headers.indexOf(header)]))
  const cellsOf = ({ cells }: FileRow): Cells =>
    Object.fromEntries([...places].map(([field, place]) => [field, cells[place] ?? '']))
  const fields = target.fields.filter(({ field }) => places.has(field))
  const mayMentionEachOther = fields.some(({ schema }) => refersToAny(schema, singular(target.collection.of.table)))
  const all = mayMentionEachOther ? undefined : await readRows(ctx, fields, rows.map(cellsOf))
  const outcome: Outcome = { done: [], failures: [], besides: [] }
  for (const [n, row] of rows.entries()) {
    const cells = cellsOf(row)
    try {
      const said = all ? all[n]! : (await readRows(ctx, fields, [cells]))[0]!
      const { inner, steps } = followed(ctx, target.collection.of.table)
      const done = await importRow(inner, target, fields, cells.id?.trim(), said)
      const own = steps.get(done.record_id)
      outcome.done.push({ row_number: row.n, ...done, revision_before: done.before ? (own?.from ?? done.revision) : null })
      outcome.besides.push(...[...steps.values()].filter((one) => one !== own))
    } catch (error) {
      const { message, errors = { '': [message] } } = refusalOf(error)
      outcome.failures.push({ row, errors })
    }
  }
  return outcome
}

async function importRow(
  ctx: Ctx,
  target: Target,
  fields: ImportField[],
  id: string | undefined,
  said: Said,
): Promise<Omit<Done, 'row_number' | 'revision_before'>> {
  if ('errors' in said) throw invalid(said.errors)
  const { collection, create, update } = target
  const { of } = collection
  const found = id ? await recordOf(ctx, target, id) : await calledSo(ctx, target, said.made.external_id)
  if (!found) {
    routeOf(ctx, collection, 'create')
    return { ...stateOf(await perform(ctx, create, undefined, parse(create.spec.body!, said.made))), before: null }
  }
  if (!update) throw invalid({ [id ? 'id' : 'external_id']: `There is such a ${of.noun} already, and none is ever changed.` })
  routeOf(ctx, collection, 'update')
  const body = parse(update.spec.body!, said.changed)
  const before = await sentFor(
    ctx,
    collection,
    [found],
    fields.map(({ field }) => field),
  )
  return { ...stateOf(await perform(ctx, update, found, body)), before: before.get(found)! }
}

/** The record that a row names by its id, locked. */
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

/** The record that another system calls so, locked; undefined where there is none yet, and this transaction is alone with its name. */
async function calledSo(ctx: Ctx, { collection: { of } }: Target, name: unknown): Promise<number | undefined> {
  if (typeof name !== 'string' || !name.trim() || name.trim().length > 255) return undefined
  return ((await lockByExternalId(ctx, of, name.trim())) as { id: number } | undefined)?.id
}

function stateOf(reply: unknown): { record_id: number; revision: number } {
  const [, id, revision] = (reply instanceof JsonText && /^"(\d+)-(\d+)"$/.exec(reply.etag ?? '')) || []
  if (!id) throw new Error('A route of a record answered none.')
  return { record_id: Number(id), revision: Number(revision) }
}
