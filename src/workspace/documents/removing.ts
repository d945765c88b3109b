/** Deletes documents, one or many, and restores them. */
import { sql } from 'kysely'
import type { z } from 'zod'
import { type Ctx, savepoint } from '#kernel/context.ts'
import { forbidden, HttpError, invalid, notFound } from '#kernel/errors.ts'
import type { Row } from '#kernel/records/resource.ts'
import { discardFile } from '#kernel/storage/uploads.ts'
import { countStorage } from '#workspace/storage/public.ts'
import { documents } from './documents.ts'
import type { BulkResult } from './schema.ts'

type Document = Row<'documents'>

/** 403 unless the actor uploaded it or owns the workspace (DOC-20, DOC-21). */
export function refuseOthers({ actor }: Ctx, { created_by }: Document) {
  if (!actor.isOwner && created_by !== actor.id)
    throw forbidden('Only who uploaded a document and the owner of the workspace may delete it.')
}

/** Trashed documents don't count as stored (DOC-28). */
export async function removeDocument(ctx: Ctx, document: Document) {
  await documents.trash(ctx, document)
  await countStorage(ctx, -document.size_bytes, 'document')
}

/** DOC-26: 422 with the code STORAGE_QUOTA_EXCEEDED if there is no longer room for it. */
export async function restoreDocument(ctx: Ctx, document: Document) {
  await documents.restore(ctx, document)
  await countStorage(ctx, document.size_bytes, 'document')
}

/** DOC-25. Also deletes its file. */
export async function purgeDocument(ctx: Ctx, document: Document) {
  await documents.force(ctx, document)
  await discardFile(ctx, document.file_key)
}

/** Processes each document, or returns why not (DOC-18); 422 if all failed (DOC-19). */
const inBulk =
  (verb: (ctx: Ctx, document: Document) => Promise<unknown>, { trashed }: { trashed: boolean }) =>
  async (ctx: Ctx, ids: number[]): Promise<z.input<typeof BulkResult>> => {
    const found = await lockAll(ctx, ids)
    const failed: z.input<typeof BulkResult>['failed'] = []
    for (const id of ids)
      try {
        const document = found.get(id)
        if (!document || (document.deleted_at !== null && !trashed)) throw notFound('There is no such document.')
        refuseOthers(ctx, document)
        await savepoint(ctx, (part) => verb(part, document))
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
        failed.push({ id, message: error.message })
      }
    const processed = ids.length - failed.length
    if (!processed) throw invalid({ ids: 'None of these documents was deleted.' }, { data: { processed, failed } })
    return { processed, failed }
  }

export const removeDocuments = inBulk(removeDocument, { trashed: false })
export const purgeDocuments = inBulk(purgeDocument, { trashed: true })

/** Locks all at once in order of their ids, so that two requests for the same ones don't deadlock. */
async function lockAll(ctx: Ctx, ids: number[]) {
  const rows = await ctx
    .from('documents')
    .selectAll()
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
