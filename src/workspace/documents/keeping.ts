/** Creates and changes documents. The file is stored before the transaction begins, and kept only if that commits. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { invalid } from '#kernel/errors.ts'
import { revise } from '#kernel/records/changes.ts'
import type { Row } from '#kernel/records/resource.ts'
import { createRecord } from '#kernel/records/saving.ts'
import { discardFile, keepUpload, type Upload } from '#kernel/storage/uploads.ts'
import { countStorage } from '#workspace/storage/public.ts'
import { holdCategory } from './categories.ts'
import { documents } from './documents.ts'
import { columnsOf } from './formats.ts'
import { linksFrom, replaceLinks } from './links.ts'
import { type ChangeDocument, CreateDocument } from './schema.ts'

/** DOC-05, DOC-28. 422 on `file` if it is missing, doesn't match its extension, or exceeds the storage quota (DOC-27). */
export function createDocument(
  ctx: Ctx,
  { title, description, category_id, ...links }: z.output<typeof CreateDocument>,
  file?: Upload,
) {
  if (!file) throw invalid({ file: 'Is required.' })
  const columns = columnsOf(file)
  return createRecord(ctx, documents, CreateDocument, { title, description, category_id }, async () => {
    const [rows] = await allPipelined(
      linksFrom(ctx, links),
      holdCategory(ctx, category_id),
      keepUpload(ctx, file),
      countStorage(ctx, columns.size_bytes, 'file'), // last, because it locks the counter
    )
    return { ...columns, children: { field: 'links', table: 'document_links', by: 'document_id', rows } }
  })
}

/**
 * Changes the sent fields (DOC-15, DOC-16). A new file replaces the previous one; only the difference in size is counted
 * (DOC-29).
 */
export async function updateDocument(
  ctx: Ctx,
  document: Row<'documents'>,
  { title, description, category_id, ...links }: z.output<typeof ChangeDocument>,
  file?: Upload,
) {
  const columns = file && columnsOf(file)
  if (category_id !== document.category_id) await holdCategory(ctx, category_id)
  const relinked = await replaceLinks(ctx, document.id, links)
  if (file) await keepUpload(ctx, file)
  await revise(
    ctx,
    documents,
    document,
    { title, description, category_id, ...columns },
    Object.fromEntries(relinked.map((field) => [field, undefined])),
  )
  if (!columns) return
  await discardFile(ctx, document.file_key)
  await countStorage(ctx, columns.size_bytes - document.size_bytes, 'file')
}
