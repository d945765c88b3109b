/**
 * Imports of leads, their pending rows and their failed rows. A user without permission to assign leads sees only their own
 * imports.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { type FieldErrors, invalid } from '#kernel/errors.ts'
import type { FileRow } from '#kernel/import/table.ts'
import { filter, type Listed, listing, workspaceTable } from '#kernel/records/listing.ts'
import { insertAll } from '#kernel/records/many-rows.ts'
import { type Row, readRow } from '#kernel/records/resource.ts'
import { readOne } from '#kernel/records/view.ts'
import { countStorage } from '#workspace/storage/public.ts'
import { LeadImport, LeadImportUndo, type Mapping, STATUSES } from './schema.ts'

export type Import = Row<'lead_imports'>

const inSight = (ctx: Ctx) => (ctx.can('leads.assign') ? undefined : sql<boolean>`lead_imports.created_by = ${ctx.actor.id}`)

const listed: Listed<typeof LeadImport, Ctx> = { ...workspaceTable('lead_imports', LeadImport), scope: inSight }

/** LEAD-70. */
export const importList = listing(listed, {
  sorts: ['created_at', 'updated_at', 'status', 'file_name', 'total_rows'],
  filters: { status: filter.oneOf('status', STATUSES) },
  hardDeleted: true,
})

const named = (ctx: Ctx, uuid: string) => sql<boolean>`
  lead_imports.tenant_id = ${ctx.tenant.id} and lead_imports.uuid = ${uuid} and ${inSight(ctx) ?? sql`true`}`

/** 404 outside the workspace and the actor's sight; so do the next three. */
export const findImport = (ctx: Ctx, uuid: string): Promise<Import> =>
  readRow(ctx, 'lead_imports', named(ctx, uuid), { noun: 'import' })

/** Returns the import, locked until the transaction ends. */
export const lockImport = (ctx: Ctx, uuid: string): Promise<Import> =>
  readRow(ctx, 'lead_imports', named(ctx, uuid), { noun: 'import', lock: true })

export const showImport = (ctx: Ctx, uuid: string) =>
  readOne(ctx, LeadImport, 'lead_imports', named(ctx, uuid), { noun: 'import' })

export const showUndo = (ctx: Ctx, uuid: string) =>
  readOne(ctx, LeadImportUndo, 'lead_imports', named(ctx, uuid), { noun: 'import' })

/** Locks an import by internal id, ignoring the actor's scope, for background jobs. */
export const lockById = (ctx: Ctx, id: number): Promise<Import> =>
  readRow(ctx, 'lead_imports', sql`tenant_id = ${ctx.tenant.id} and id = ${id}`, { noun: 'import', lock: true })

export const saveImport = (ctx: Ctx, { id }: Import, changes: Partial<Import>) =>
  ctx
    .update('lead_imports')
    .set((eb) => ({ ...(changes as {}), updated_at: ctx.now, revision: eb('revision', '+', 1) }))
    .where('id', '=', id)
    .execute()

/** 422 on `status` once it was run: it can't be changed any more. */
export function refuseStarted({ status }: Import) {
  if (status !== 'uploaded' && status !== 'mapped') throw invalid({ status: `An import that is ${status} cannot be changed.` })
}

/** Returns the column mapping; 422 on `status` while there is none. */
export function mappingOf({ mapping }: Pick<Import, 'mapping'>): Mapping {
  if (!mapping) throw invalid({ status: 'Say first what its columns mean: PUT the mapping.' })
  return mapping as Mapping
}

// Pending rows of a file, stored in chunks, so that a run resumes without reading the file again.

/** Stores a chunk; `rows` is its JSON. 422 on `file` where the storage quota is exceeded (STORAGE_QUOTA_EXCEEDED). */
export async function keepChunk(ctx: Ctx, import_id: number, n: number, rows: string) {
  const bytes = Buffer.byteLength(rows)
  await ctx.tx
    .insertInto('lead_import_chunks')
    .values({ tenant_id: ctx.tenant.id, import_id, n, rows, bytes, created_at: ctx.now })
    .execute()
  await countStorage(ctx, bytes, 'file')
}

/** Returns undefined after the last chunk. */
export async function chunkAt(ctx: Ctx, importId: number, n: number): Promise<FileRow[] | undefined> {
  const chunk = await ctx
    .from('lead_import_chunks')
    .select('rows')
    .where('import_id', '=', importId)
    .where('n', '=', n)
    .executeTakeFirst()
  return chunk?.rows as FileRow[] | undefined
}

/** Replaces an import's chunks with those staged from another read of its file. */
export async function replaceChunks(ctx: Ctx, importId: number, stagedId: number) {
  await dropChunks(ctx, importId)
  await ctx.update('lead_import_chunks').set({ import_id: importId }).where('import_id', '=', stagedId).execute()
}

/** Deletes the chunks and subtracts them from the storage usage. */
export async function dropChunks(ctx: Ctx, importId: number) {
  const dropped = await ctx.deleteFrom('lead_import_chunks').where('import_id', '=', importId).returning('bytes').execute()
  await countStorage(
    ctx,
    dropped.reduce((sum, { bytes }) => sum - bytes, 0),
    'file',
  )
}

// Rows that could not be imported: stored as they were in the file, with the reason.

export interface Failure {
  row: FileRow
  reason: string
  /** Errors by field; null for a technical exception. */
  errors: FieldErrors | null
}

/** Pseudo row for a failure of the import as a whole. */
export const WHOLE: FileRow = { n: 0, cells: [] }

export const rejected = (row: FileRow, errors: FieldErrors): Failure => {
  const [field, [message] = []] = Object.entries(errors)[0] ?? []
  return { row, errors, reason: `${field}: ${message}` }
}

export const keepFailures = (ctx: Ctx, import_id: number, failures: Failure[]) =>
  insertAll(
    ctx,
    'lead_import_failures',
    failures.map(({ row, reason, errors }) => ({
      ...{ import_id, row_number: row.n, cells: row.cells as never, reason, errors: errors as never, created_at: ctx.now },
    })),
  )
