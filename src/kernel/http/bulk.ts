/**
 * Bulk actions: applies one action to many records. Up to 100 records with 2,000 rows of work run within the request, more as a
 * job. Each record goes through the route of the single action, with its checks and permissions, in a savepoint of its own. Its
 * previous state is stored, so that the batch can be undone for records that haven't changed since.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx, Services, WorkspaceSteps } from '../context.ts'
import { refusalOf } from '../database/failures.ts'
import { HttpError, invalid, notFound } from '../errors.ts'
import { defineBatchJob, inTheNameOf, runOf, startRun } from '../jobs/batch-job.ts'
import type { Attempt } from '../jobs/job.ts'
import { emit } from '../modules/events.ts'
import type { Listing, ListQuery } from '../records/listing.ts'
import { insertAll } from '../records/many-rows.ts'
import { type Resource, type Row, resources } from '../records/resource.ts'
import { choice, id } from '../values/fields.ts'
import { plusSeconds } from '../values/time.ts'
import { type Collection, collectionAt, type Declared, declareCollection, perform, routeOf, sentFor } from './collections.ts'
import { sanitizedAhead } from './formatted-texts.ts'
import { assertMayGrant } from './grants.ts'
import { parse, parseStored } from './input.ts'
import type { Route } from './route.ts'

/** Maximum number of records per request and per step of a job. */
const MOST = 100
/**
 * Maximum rows of work per request and per step of a job: records, their dependent rows (lines), and rows sent for each record.
 * More work becomes a job, whose steps hold locks only briefly; a step processes at least one record.
 */
const MAX_WORK = 2000
const ACTIONS = ['update', 'assign', 'status', 'delete', 'restore'] as const
type Action = (typeof ACTIONS)[number]
type Batch = Row<'bulk_batches'>

/** Body of a bulk request. */
export const BulkBody = z.object({
  ids: z
    .array(id())
    .min(1, 'Must name a record.')
    .max(MOST, `Must be at most ${MOST} ids.`)
    .optional()
    .meta({ description: `Ids of the records, at most ${MOST}. Either these or \`filter\`.`, examples: [[3, 7]] }),
  filter: z
    .record(z.string().max(100), z.union([z.string().max(1000), z.number(), z.boolean()]))
    .optional()
    .meta({ description: 'Filters of the list, whose records are meant; one at least.', examples: [{ search: 'nord' }] }),
  action: choice(ACTIONS).describe('What is done to each: what the route of one record does.'),
  changes: z
    .record(z.string().max(100), z.unknown())
    .default({})
    .meta({ description: 'What would be sent for one: fields, `assigned_to`, `status`.', examples: [{ notes: 'Seen.' }] }),
})

/** A batch in replies. */
export const BulkBatch = z
  .object({
    batch_id: z.uuid().meta({ description: 'Names the batch, to follow it and to undo it.' }),
    action: choice(ACTIONS),
    state: z
      .enum(['waiting', 'running', 'completed', 'failed', 'cancelled'])
      .describe('Whether the records are done; of an undone batch, whether it is undone.'),
    total: z
      .int()
      .nullable()
      .meta({ description: 'How many records it is about; null: not known yet.', examples: [3] }),
    processed: z.int().meta({ description: 'How many records it was done to, or undone of.', examples: [2] }),
    failed: z.array(z.object({ id: z.int(), message: z.string() })).meta({
      description: `Records it could not be done to, with the reason: the first ${MOST}.`,
      examples: [[{ id: 7, message: 'There is no such vendor.' }]],
    }),
    failed_count: z.int().meta({ description: 'How many these are in all.', examples: [1] }),
    undone_at: z.iso.datetime().nullable().describe('When undoing it began; null: nobody has. It is over when `state` says so.'),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why the whole batch ended early, if it did.', examples: [null] }),
  })
  .meta({ id: 'BulkBatch' })

/** Returns the handler of a collection's bulk route. */
export function bulkHandler(collection: Declared) {
  const handler = async (ctx: Ctx, { body: asked }: { body: z.output<typeof BulkBody> }) =>
    begin(ctx, await collectionAt(ctx, (_, route) => route.handler === handler), asked)
  declareCollection(handler as Route['handler'], collection)
  return handler
}

/** Returns the filters as a query of the list. Throws 422 for an unknown filter, because ignoring it would select all records. */
function filterOf(list: Listing<any, Ctx>, filter: Record<string, unknown>): ListQuery {
  const texts = Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)]))
  const known = list.filterNames
  const strange = Object.keys(texts).filter((name) => !known.has(name))
  if (strange.length) throw invalid(Object.fromEntries(strange.map((name) => [`filter.${name}`, 'Is no filter of this list.'])))
  if (!Object.values(texts).some((text) => text !== '')) throw invalid({ filter: 'Must name a filter.' })
  return within('filter', () => parse(list.statsQuery, texts))
}

/** Prefixes the field names of validation errors with the name of the field that contains them. */
function within<T>(name: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof HttpError && error.errors)) throw error
    throw invalid(Object.fromEntries(Object.entries(error.errors).map(([field, told]) => [`${name}.${field}`, told.join(' ')])))
  }
}

async function begin(ctx: Ctx, collection: Collection, { ids, filter, action, changes }: z.output<typeof BulkBody>) {
  if (!ids === !filter) throw invalid({ ids: 'Send either ids or filter.' })
  const route = routeOf(ctx, collection, action)
  await assertMayGrant(ctx, route, changes)
  parseChanges(route, changes) // an error in the changes applies to all records
  const found = ids ? [...new Set(ids)] : await idsBy(ctx, collection, filterOf(collection.list, filter!), 0, MOST + 1)
  const isLarge = found.length > MOST || (await fitting(ctx, collection.of, found, () => linesIn(changes))).length < found.length
  const batch: Batch = await ctx.tx
    .insertInto('bulk_batches')
    .values({
      ...{ tenant_id: ctx.tenant.id, collection: collection.path, record_table: collection.of.table, action },
      ...{ changes: JSON.stringify(changes), filter: filter ? JSON.stringify(filter) : null },
      ...{ created_by: ctx.actor.id, created_at: ctx.now },
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  if (isLarge) {
    const named = ids && { ids: found.toSorted((a, b) => a - b) }
    const run_id = await startRun(ctx, bulkJob, { batch_id: batch.id, undo: false, ...named }, ids && found.length)
    await ctx.update('bulk_batches').set({ run_id }).where('id', '=', batch.id).execute()
  } else {
    await doTo(ctx, collection, batch, found)
    await tellEnd(ctx, batch)
  }
  return showBatch(ctx, batch.uuid)
}

/** Emits the end of a batch: users concerned are notified once, not per record (NTF-34). */
const tellEnd = (ctx: Ctx, { uuid }: Batch) => emit(ctx, 'batch.ended', { batch_id: uuid, of: 'bulk' })

/** Parses the changes as a body of the route. Rejects unknown fields: a misspelt field would be reported as changed. */
const parseChanges = ({ spec }: Route, changes: object) => {
  const known = spec.body instanceof z.ZodObject ? Object.keys(spec.body.shape) : []
  const strange = Object.keys(changes).filter((name) => !known.includes(name))
  if (strange.length)
    throw invalid(Object.fromEntries(strange.map((name) => [`changes.${name}`, 'Is no field that can be changed so.'])))
  if (known.length && !Object.keys(changes).length) throw invalid({ changes: 'Must name a field.' })
  return within('changes', () => (spec.body ? parse(spec.body, changes) : undefined))
}

async function idsBy(ctx: Ctx, { of, list }: Collection, query: ListQuery, after: number, most: number): Promise<number[]> {
  const at = sql.ref(`${of.table}.id`)
  const { rows } = await sql<{ id: number }>`
    select ${at} as id from ${sql.table(of.table)} where ${list.condition(ctx, query)} and ${at} > ${after} order by ${at} limit ${sql.lit(most)}`.execute(
    ctx.tx,
  )
  return rows.map(({ id }) => id)
}

type Locked = { id: number; revision: number; [column: string]: unknown }

/**
 * Locks the records that the actor can see, in order of id, so that two batches on the same records can't deadlock. Other records
 * are neither locked nor waited for.
 */
async function lockRows(ctx: Ctx, { table, scope }: Resource, ids: number[]): Promise<Map<number, Locked>> {
  const name = sql.table(table)
  const { rows } = await sql<Locked>`
    select ${name}.* from ${name}
    where ${name}.tenant_id = ${ctx.tenant.id} and ${name}.id = any(${ids}::bigint[]) and ${scope(ctx) ?? sql`true`}
    order by ${name}.id for update of ${name}`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the revisions of records locked by this transaction, even if the actor can't see them any more. */
async function revisionsOf(ctx: Ctx, { table }: Resource, ids: number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; revision: number }>`
    select id, revision from ${sql.table(table)} where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[])`.execute(
    ctx.tx,
  )
  return new Map(rows.map(({ id, revision }) => [id, revision]))
}

interface Part {
  table: string
  /** Column that references the record. */
  by: string
}

const parts = new WeakMap<Services, Map<string, Part[]>>()

/** Returns the workspace tables whose rows belong to a table's records (ON DELETE CASCADE), with the referencing column. */
async function partsOf({ services, tx }: Ctx, table: string): Promise<Part[]> {
  const known = parts.getOrInsertComputed(services, () => new Map())
  const found = known.get(table)
  if (found) return found
  const { rows } = await sql<Part>`
    select c.conrelid::regclass::text as "table", part.attname as "by" from pg_constraint c
    join pg_attribute record on record.attrelid = c.confrelid and record.attname = 'id' and record.attnum = any (c.confkey)
    join pg_attribute part on part.attrelid = c.conrelid and part.attnum = c.conkey[array_position(c.confkey, record.attnum)]
    where c.contype = 'f' and c.confdeltype = 'c' and c.confrelid = to_regclass(${table})
      and has_table_privilege(c.conrelid, 'select')`.execute(tx)
  known.set(table, rows)
  return rows
}

/** Number of rows sent for a record: entries of its lists. */
const linesIn = (sent: unknown): number =>
  Object.values((sent ?? {}) as object).reduce((sum, value) => sum + (Array.isArray(value) ? value.length : 0), 0)

/**
 * Returns the longest prefix of these ids that fits into the work of one request or step; at least one. `sent` returns the number
 * of rows sent for an id.
 */
async function fitting(ctx: Ctx, { table }: Resource, ids: number[], sent: (id: number) => number): Promise<number[]> {
  const counts = (await partsOf(ctx, table)).map(
    (part) => sql`(
      select count(*) from (
        select from ${sql.table(part.table)} part
        where part.tenant_id = ${ctx.tenant.id} and ${sql.ref(`part.${part.by}`)} = record.id limit ${sql.lit(MAX_WORK)}
      ) counted)`,
  )
  const { rows } = counts.length
    ? await sql<{ id: number; n: number }>`
        select record.id, (${sql.join(counts, sql` + `)})::int as n from ${sql.table(table)} record
        where record.tenant_id = ${ctx.tenant.id} and record.id = any(${ids}::bigint[])`.execute(ctx.tx)
    : { rows: [] }
  const stored = new Map(rows.map(({ id, n }) => [id, n]))
  let work = 0
  const over = ids.findIndex((id) => {
    work += 1 + (stored.get(id) ?? 0) + sent(id)
    return work > MAX_WORK
  })
  return over < 0 ? ids : ids.slice(0, Math.max(1, over))
}

/** Returns the request body that would restore each record's current state, limited to the fields in `changes`. */
async function beforeOf(
  ctx: Ctx,
  collection: Collection,
  action: Action,
  changes: object,
  rows: Map<number, Locked>,
): Promise<Map<number, object>> {
  const column = { assign: 'assigned_to', status: 'status' }[action as string]
  if (column) return new Map([...rows].map(([id, row]) => [id, { [column]: row[column] }]))
  if (action !== 'update') return new Map()
  const named = Object.keys(changes)
  const sent = await sentFor(ctx, collection, [...rows.keys()], named)
  if (!named.includes('external_id')) return sent
  return new Map([...sent].map(([id, before]) => [id, { ...before, external_id: rows.get(id)!.external_id }]))
}

/** Columns that belong to the assignment but aren't sent with it. */
const besides = ({ assignedWith }: Resource, row: Locked) =>
  Object.fromEntries(assignedWith.map((column) => [column, row[column]]))

/** Applies the action to these records and stores the result of each. */
async function doTo(ctx: Ctx, collection: Collection, batch: Batch, ids: number[]) {
  const action = batch.action as Action
  const route = routeOf(ctx, collection, action)
  const changes = (batch.changes ?? {}) as object
  const rows = await lockRows(ctx, collection.of, ids)
  const before = await beforeOf(ctx, collection, action, changes, rows)
  const body = parseChanges(route, changes)
  const failed = new Map<number, string>()
  for (const id of ids) {
    const row = rows.get(id)
    try {
      if (!row) throw notFound(`There is no such ${collection.of.noun}.`)
      await perform({ ...ctx, batch: batch.uuid }, route, row[collection.of.key] as number, structuredClone(body))
    } catch (error) {
      failed.set(id, refusalOf(error).message)
    }
  }
  const after = await revisionsOf(ctx, collection.of, [...rows.keys()])
  await insertAll(
    ctx,
    'bulk_rows',
    ids.map((id) => ({
      ...{ batch_id: batch.id, record_id: id, revision: failed.has(id) ? null : after.get(id)! },
      ...{
        before: (failed.has(id) ? null : { ...before.get(id), ...besides(collection.of, rows.get(id)!) }) as never,
        error: failed.get(id) ?? null,
        undone: false,
      },
    })),
  )
}

/** Reverse action of each action. */
const BACK: Record<Action, Action> = {
  update: 'update',
  assign: 'assign',
  status: 'status',
  delete: 'restore',
  restore: 'delete',
}

interface Undone {
  last: number
  done: number
  /** Whether there may be further rows. */
  more: boolean
}

/** Returns the next records to which the batch's action was applied. */
const doneRows = (ctx: Ctx, batch: Batch, after: number) =>
  ctx
    .from('bulk_rows')
    .select(['record_id', 'revision', 'before'])
    .where('batch_id', '=', batch.id)
    .where('record_id', '>', after)
    .where('revision', 'is not', null)
    .orderBy('record_id')
    .limit(MOST)
    .execute()

/** Returns the rows that fit into one request or step. */
async function fittingRows<R extends { record_id: number; before: unknown }>(ctx: Ctx, of: Resource, rows: R[]): Promise<R[]> {
  const before = new Map(rows.map((row) => [row.record_id, row.before]))
  const ids = await fitting(ctx, of, [...before.keys()], (id) => linesIn(before.get(id)))
  return rows.slice(0, ids.length)
}

/** Undoes the action for the batch's next records, unless they changed since. Returns the id of the last one. */
async function undoNext(ctx: Ctx, collection: Collection, batch: Batch, after: number): Promise<Undone> {
  const action = batch.action as Action
  const route = routeOf(ctx, collection, BACK[action])
  const next = await doneRows(ctx, batch, after)
  const kept = await fittingRows(ctx, collection.of, next)
  const rows = await lockRows(
    ctx,
    collection.of,
    kept.map(({ record_id }) => record_id),
  )
  for (const { record_id, revision, before } of kept) {
    const row = rows.get(record_id)
    let undo_error: string | null = null
    try {
      if (!row) throw notFound(`There is no such ${collection.of.noun}.`)
      if (row.revision !== revision) throw invalid({ id: 'It was changed since.' })
      const lost =
        action === 'update' ? Object.keys(batch.changes as object).find((name) => !(name in (before as object))) : undefined
      if (lost) throw invalid({ [lost]: `What ${lost} was is not known.` })
      const was = route.spec.body ? parseStored(route.spec.body, before) : undefined
      await perform({ ...ctx, batch: batch.uuid, putsBack: before as object }, route, row[collection.of.key] as number, was)
    } catch (error) {
      undo_error = refusalOf(error).message
    }
    await ctx
      .update('bulk_rows')
      .set({ undone: undo_error === null, undo_error })
      .where('batch_id', '=', batch.id)
      .where('record_id', '=', record_id)
      .execute()
  }
  return { last: kept.at(-1)?.record_id ?? after, done: kept.length, more: next.length === MOST || kept.length < next.length }
}

const mine = (ctx: Ctx, uuid: string) =>
  ctx.from('bulk_batches').selectAll().where('uuid', '=', uuid).where('created_by', '=', ctx.actor.id)

const noBatch = () => notFound('There is no such batch.')

/**
 * Returns a batch of the actor with its results. Throws 404 for other batches, and 403 for an API key without permission for the
 * action.
 */
export async function showBatch(ctx: Ctx, uuid: string): Promise<z.input<typeof BulkBatch>> {
  const batch = await mine(ctx, uuid).executeTakeFirst()
  if (!batch) throw noBatch()
  if (ctx.actor.key) routeOf(ctx, await collectionAt(ctx, (path) => path === batch.collection), batch.action as Action)
  const undone = batch.undone_at !== null
  const error = undone ? sql`coalesce(undo_error, error)` : sql`error`
  const { rows: counts } = await sql<{ processed: number; failed_count: number }>`
    select count(*) filter (where ${undone ? sql`undone` : sql`revision is not null`})::int as processed,
      count(*) filter (where ${error} is not null)::int as failed_count
    from bulk_rows where tenant_id = ${ctx.tenant.id} and batch_id = ${batch.id}`.execute(ctx.tx)
  const { rows: failed } = await sql<{ id: number; message: string }>`
    select record_id as id, ${error} as message from bulk_rows
    where tenant_id = ${ctx.tenant.id} and batch_id = ${batch.id} and ${error} is not null order by record_id limit ${sql.lit(MOST)}`.execute(
    ctx.tx,
  )
  const runId = undone ? batch.undo_run_id : batch.run_id
  const run = runId ? await runOf(ctx, bulkJob, runId) : undefined
  const { processed, failed_count } = counts[0]!
  return {
    ...{ batch_id: batch.uuid, action: batch.action, state: run?.state ?? 'completed', processed, failed, failed_count },
    ...{ total: run ? run.total : processed + failed_count, undone_at: batch.undone_at },
    error: run?.state === 'failed' ? run.error : null,
  }
}

/** POST /bulk/{batch_id}/undo: 422 while the batch is running, or after it was undone. */
export async function undoBatch(ctx: Ctx, uuid: string) {
  const batch = await mine(ctx, uuid).forUpdate().executeTakeFirst()
  if (!batch) throw noBatch()
  if (batch.undone_at) throw invalid({ batch_id: 'It has been undone.' })
  const run = batch.run_id ? await runOf(ctx, bulkJob, batch.run_id) : undefined
  if (run && (run.state === 'waiting' || run.state === 'running')) throw invalid({ batch_id: 'It isn’t done yet.' })
  const collection = await collectionAt(ctx, (path) => path === batch.collection)
  await assertMayGrant(ctx, routeOf(ctx, collection, BACK[batch.action as Action]), batch.changes)
  const rows = run ? [] : await doneRows(ctx, batch, 0)
  const isLarge = run !== undefined || (await fittingRows(ctx, collection.of, rows)).length < rows.length
  const total = run ? run.done : rows.length
  const undo_run_id = isLarge ? await startRun(ctx, bulkJob, { batch_id: batch.id, undo: true }, total) : null
  await ctx.update('bulk_batches').set({ undone_at: ctx.now, undo_run_id }).where('id', '=', batch.id).execute()
  if (!isLarge) {
    await undoNext(ctx, collection, batch, 0)
    await tellEnd(ctx, batch)
  }
  return showBatch(ctx, uuid)
}

/**
 * Processes batches too large for a request, at most 100 records and 2,000 rows a step, with the sender's permissions at that
 * time.
 */
export const bulkJob = defineBatchJob<{ batch_id: number; undo: boolean; ids?: number[] }, { after: number }>({
  name: 'bulk',
  data: z.object({ batch_id: z.int(), undo: z.boolean(), ids: z.array(z.int()).max(MOST).optional() }),
  as: 'sender',
  retries: 3,
  async step(ctx, { batch_id, undo, ids: named }, { after } = { after: 0 }) {
    const batch = await ctx.from('bulk_batches').selectAll().where('id', '=', batch_id).executeTakeFirstOrThrow()
    const collection = await collectionAt(ctx, (path) => path === batch.collection)
    if (undo) {
      const { last, done, more } = await undoNext(ctx, collection, batch, after)
      if (!more) await tellEnd(ctx, batch)
      return { next: more ? { after: last } : undefined, done }
    }
    const query = named ? undefined : filterOf(collection.list, batch.filter as Record<string, unknown>)
    const found = query ? await idsBy(ctx, collection, query, after, MOST) : named!.filter((id) => id > after)
    // Counted before the action, which may change which records match.
    const total = query && after === 0 ? await collection.list.total(ctx, query) : undefined
    const ids = await fitting(ctx, collection.of, found, () => linesIn(batch.changes))
    const { body } = routeOf(ctx, collection, batch.action as Action).spec
    const doNext = () => doTo(ctx, collection, batch, ids)
    if (ids.length) await sanitizedAhead(ctx.services, ctx.tenant.id, [body], batch.changes, doNext)
    const more = ids.length < found.length || (query !== undefined && found.length === MOST)
    if (!more) await tellEnd(ctx, batch)
    return { next: more ? { after: ids.at(-1)! } : undefined, done: ids.length, ...(total ? { total } : {}) }
  },

  async failed(ctx, { batch_id }) {
    const batch = await ctx.from('bulk_batches').selectAll().where('id', '=', batch_id).executeTakeFirst()
    if (batch) await tellEnd(await inTheNameOf(ctx, batch.created_by), batch)
  },
})

/** Days for which a batch is stored and can be undone. */
const KEPT_DAYS = 30

/** Maximum number of batches and of their rows deleted per transaction. */
const FORGOTTEN_BATCHES = 100
const FORGOTTEN_ROWS = 5000

/** Deletes all batches older than `KEPT_DAYS`. */
export async function sweepBatches(steps: WorkspaceSteps, _: unknown, { signal }: Attempt) {
  while (!signal.aborted && (await steps.write(forgetSome)));
}

/** Deletes some old batches. Returns whether there were any. */
async function forgetSome(ctx: Ctx): Promise<boolean> {
  const before = plusSeconds(ctx.now, -KEPT_DAYS * 86_400)
  const old = ctx.from('bulk_batches').select('id').where('created_at', '<', before).orderBy('id').limit(FORGOTTEN_BATCHES)
  const ids = (await old.execute()).map(({ id }) => id)
  if (!ids.length) return false
  const { numAffectedRows } = await sql`
    delete from bulk_rows where tenant_id = ${ctx.tenant.id} and (batch_id, record_id) in (
      select batch_id, record_id from bulk_rows where tenant_id = ${ctx.tenant.id} and batch_id = any(${ids}::bigint[])
      order by batch_id, record_id limit ${FORGOTTEN_ROWS})`.execute(ctx.tx)
  if (Number(numAffectedRows) < FORGOTTEN_ROWS) await ctx.deleteFrom('bulk_batches').where('id', 'in', ids).execute()
  return true
}

/** Erases the stored previous state of a purged record. Its membership in the batch remains. */
export async function forgetRecord(ctx: Ctx, { table, id }: { table: string; id: number }) {
  if (!resources.some((one) => one.table === table)) return
  await sql`
    update bulk_rows r set before = '{}' from bulk_batches b
    where r.tenant_id = ${ctx.tenant.id} and r.record_id = ${id} and b.tenant_id = ${ctx.tenant.id} and b.id = r.batch_id and b.record_table = ${table}`.execute(
    ctx.tx,
  )
}
