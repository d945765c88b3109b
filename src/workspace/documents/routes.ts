import { recordRoutes } from '#kernel/http/record-routes.ts'
import { under, workspace } from '#kernel/http/route.ts'
import { categoryRoutes } from './categories.ts'
import { documentList, documentStats, documents } from './documents.ts'
import { documentFile, documentTypes } from './formats.ts'
import { createDocument, updateDocument } from './keeping.ts'
import { purgeDocument, purgeDocuments, removeDocument, removeDocuments, restoreDocument } from './removing.ts'
import { BulkResult, ChangeByForm, ChangeDocument, CreateDocument, Document, DocumentIds } from './schema.ts'

const { get, post, del } = workspace

const byForm = {
  upload: { file: documentFile },
  reply: Document,
  description:
    'In a form an array is sent as `contact_ids[]`, once for each id, and an empty one as a single empty `contact_ids[]`.',
}
const bulk = { body: DocumentIds, reply: BulkResult }

const documentRoutes = [
  ...recordRoutes(documents, {
    list: documentList,
    stats: documentStats,
    changes: ChangeDocument,
    update: (ctx, document, body) => updateDocument(ctx, document, body),
    remove: removeDocument,
    restore: restoreDocument,
    force: false, // below, for a file goes with it
  }),
  post(
    '/',
    { ...byForm, allow: 'documents.create', body: CreateDocument, status: 201, message: 'Document created.' },
    async (ctx, { body, files }) => {
      const { id, inserted } = await createDocument(ctx, body, files.file)
      return ctx.commitThenRead(inserted, () => documents.renderUnscoped(ctx, id))
    },
  ),
  post(
    '/:id',
    { ...byForm, allow: 'documents.update', record: documents.lock, body: ChangeByForm, message: 'Document saved.' },
    async (ctx, { id, record, body, files }) => {
      await updateDocument(ctx, record, body, files.file)
      return documents.renderUnscoped(ctx, id)
    },
  ),
  del(
    '/:id/force',
    { allow: 'documents.force.delete', record: documents.lockAny, message: 'Document deleted for good.' },
    (ctx, { record }) => purgeDocument(ctx, record),
  ),
  post('/bulk-delete', { ...bulk, allow: 'documents.delete', message: 'Documents deleted.' }, (ctx, { body }) =>
    removeDocuments(ctx, body.ids),
  ),
  post(
    '/bulk-force-delete',
    { ...bulk, allow: 'documents.force.delete', message: 'Documents deleted for good.' },
    (ctx, { body }) => purgeDocuments(ctx, body.ids),
  ),
  // DOC-23, DOC-24
  get('/:id/download', { allow: 'documents.view', file: documentTypes }, async (ctx, { id }) => {
    const { original_name, mime, file_key } = await documents.find(ctx, id)
    return { name: original_name, type: mime, key: file_key }
  }),
]

export default [...under('/documents', documentRoutes), ...under('/document-categories', categoryRoutes)]
