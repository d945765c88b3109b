/** Imports, the rows of their files during the import, and the failed rows. Only its owner can find an import. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { type FieldErrors, invalid } from '#kernel/errors.ts'
import { type Collection, collectionAt, importables, mayUse, routeOf } from '#kernel/http/collections.ts'
import type { Route } from '#kernel/http/route.ts'
import { type ImportField, importFields } from '#kernel/import/cells.ts'
import type { Notation } from '#kernel/import/notation.ts'
import type { FileRow } from '#kernel/import/table.ts'
import { notationOf } from '#kernel/import/table-fields.ts'
import { filter, type ListQuery, listing, workspaceTable } from '#kernel/records/listing.ts'
import { insertAll } from '#kernel/records/many-rows.ts'
import { type Row, readRow } from '#kernel/records/resource.ts'
import { readOne } from '#kernel/records/view.ts'
import { countStorage } from '#workspace/storage/public.ts'
import { Import, ImportDetail, type Mapping, STATUSES } from './schema.ts'

export type ImportRow = Row<'imports'>

export const API = '/api/tenant/v1/'

/**
 * Condition for the actor's own imports. For an API key, only imports of records that the key may create or change, so that a
 * restricted key can't read other files. A file that is still being read doesn't count as an import.
 */
async function own(ctx: Ctx): Promise<RawBuilder<SqlBool>> {
  const mine = sql<SqlBool>`imports.created_by = ${ctx.actor.id} and not imports.is_reading`
  if (!ctx.actor.key) return mine
  const open = (await importables(ctx)).filter(({ isOpen }) => isOpen)
  return sql<SqlBool>`${mine} and imports.module = any(${open.map(({ path }) => path.slice(API.length))})`
}

const list = listing(workspaceTable('imports', Import), {
  sorts: ['created_at', 'updated_at', 'status', 'file_name', 'total_rows'],
  filters: { status: filter.oneOf('status', STATUSES) },
  hardDeleted: true,
})

export const importQuery = list.query
export const pageOfImports = async (ctx: Ctx, query: ListQuery) => list.page(ctx, query, { only: await own(ctx) })

const named = async (ctx: Ctx, uuid: string) =>
  sql<boolean>`imports.tenant_id = ${ctx.tenant.id} and imports.uuid = ${uuid} and ${await own(ctx)}`

/** 404 if it isn't the actor's own, as in the next two. */
export const findImport = async (ctx: Ctx, uuid: string): Promise<ImportRow> =>
  readRow(ctx, 'imports', await named(ctx, uuid), { noun: 'import' })

/** Returns the import, locked until the transaction ends. */
export const lockImport = async (ctx: Ctx, uuid: string): Promise<ImportRow> =>
  readRow(ctx, 'imports', await named(ctx, uuid), { noun: 'import', lock: true })

export const showImport = async (ctx: Ctx, uuid: string) =>
  readOne(ctx, ImportDetail, 'imports', await named(ctx, uuid), { noun: 'import' })

/** Returns an import by its id, without checking its owner: for background jobs. */
export const lockById = (ctx: Ctx, id: number): Promise<ImportRow> =>
  readRow(ctx, 'imports', sql`tenant_id = ${ctx.tenant.id} and id = ${id}`, { noun: 'import', lock: true })

export const saveImport = (ctx: Ctx, { id }: Pick<ImportRow, 'id'>, changes: Partial<ImportRow>) =>
  ctx
    .update('imports')
    .set((eb) => ({ ...(changes as {}), updated_at: ctx.now, revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()

/** 422 on `status` once it has been run: it can't be changed from then on. */
export function refuseStarted({ status }: ImportRow) {
  if (status !== 'uploaded' && status !== 'mapped') throw invalid({ status: `An import that is ${status} cannot be changed.` })
}

/** Returns the mapping of columns; 422 on `status` if none has been chosen. */
export function mappingOf({ mapping }: ImportRow): Mapping {
  if (!mapping) throw invalid({ status: 'Say first what its columns mean: PUT the mapping.' })
  return mapping as Mapping
}

/** Meaning of a file's columns, and the notation of their texts. */
export interface Columns {
  headers: string[]
  mapping: Mapping
  notation: Notation
}

/** 422 on `status` before the mapping. */
export const columnsOf = (one: ImportRow): Columns => ({
  headers: one.headers,
  mapping: mappingOf(one),
  notation: notationOf(one),
})

// The records that the rows become.

export interface Target {
  collection: Collection
  create: Route
  /** Undefined for records that never change. */
  update: Route | undefined
  fields: ImportField[]
}

/** Column with the id of the record that a row changes; not a field of a body. */
export const ID: Omit<ImportField, 'schema'> = { field: 'id', title: 'Id', required: false }

/** 422 on `module` for records that no file can create; 403 for an actor who may neither create nor change any. */
export async function targetOf(ctx: Ctx, module: string): Promise<Target> {
  const paths = (await importables(ctx)).map(({ path }) => path)
  if (!paths.includes(API + module)) {
    const names = paths.map((path) => path.slice(API.length)).toSorted()
    throw invalid({ module: `Must be one of ${names.join(', ')}.` })
  }
  const collection = await collectionAt(ctx, (path) => path === API + module)
  const create = collection.routes.get('create')!
  const update = collection.routes.get('update')
  if (!update || !mayUse(ctx, update)) routeOf(ctx, collection, 'create')
  return { collection, create, update, fields: importFields(collection.table, create.spec.body, update?.spec.body) }
}

// Rows of a file during the import: stored in batches, so that a run continues where it stopped without reading the file again.

/** `rows` is the JSON of a batch. 422 on `file` if the workspace's storage quota is exceeded (STORAGE_QUOTA_EXCEEDED). */
export async function keepChunk(ctx: Ctx, import_id: number, n: number, rows: string) {
  const bytes = Buffer.byteLength(rows)
  await ctx.tx.insertInto('import_chunks').values({ tenant_id: ctx.tenant.id, import_id, n, rows, bytes }).execute()
  await countStorage(ctx, bytes, 'file')
}

/** Returns a batch of rows; undefined after the last one. */
export async function chunkAt(ctx: Ctx, importId: number, n: number): Promise<FileRow[] | undefined> {
  const chunk = await ctx
    .from('import_chunks')
    .select('rows')
    .where('import_id', '=', importId)
    .where('n', '=', n)
    .executeTakeFirst()
  return chunk?.rows as FileRow[] | undefined
}

/** Replaces the rows of an import by those of its file that was read again. */
export async function replaceChunks(ctx: Ctx, importId: number, stagedId: number) {
  await dropChunks(ctx, importId)
  await ctx.update('import_chunks').set({ import_id: importId }).where('import_id', '=', stagedId).execute()
}

/** Deletes the batches and subtracts them from the used storage. */
export async function dropChunks(ctx: Ctx, importId: number) {
  const dropped = await ctx.deleteFrom('import_chunks').where('import_id', '=', importId).returning('bytes').execute()
  await countStorage(
    ctx,
    dropped.reduce((sum, { bytes }) => sum - bytes, 0),
    'file',
  )
}

// Rows that could not be imported: stored as in the file, with the reason.

export interface Failure {
  row: FileRow
  errors: FieldErrors
}

export const keepFailures = (ctx: Ctx, import_id: number, failures: Failure[]) =>
  insertAll(
    ctx,
    'import_failures',
    failures.map(({ row, errors }) => ({ import_id, row_number: row.n, cells: row.cells as never, errors: errors as never })),
  )
