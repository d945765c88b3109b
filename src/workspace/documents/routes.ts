import { recordRoutes } from '#kernel/http/record-routes.ts'
import { under, workspace } from '#kernel/http/route.ts'
import { categoryRoutes } from './categories.ts'
import { documentList, documentStats, documents } from './documents.ts'
import { documentFile, documentTypes } from './formats.ts'
import { createDocument, updateDocument } from './keeping.ts'
import { purgeDocument, purgeDocuments, refuseOthers, removeDocument, removeDocuments, restoreDocument } from './removing.ts'
import { BulkResult, ChangeByForm, ChangeDocument, CreateDocument, Document, DocumentIds } from './schema.ts'

const { get, post, del } = workspace

const lists = 'A list is sent as `contact_ids[]`, once for each id, and an empty one as a single empty `contact_ids[]`.'
const bulk = { body: DocumentIds, reply: BulkResult }

const documentRoutes = [
  ...recordRoutes(documents, {
    list: documentList,
    stats: documentStats,
    changes: ChangeDocument,
    update: (ctx, document, body) => updateDocument(ctx, document, body),
    remove: removeDocument,
    restore: restoreDocument,
    guards: { remove: refuseOthers },
    force: 'own', // below, because it also deletes a file
  }),
  post(
    '/',
    {
      allow: 'documents.create',
      grants: false,
      body: CreateDocument,
      upload: { file: { ...documentFile, required: true } },
      reply: Document,
      status: 201,
      message: 'Document created.',
      description: `Stores a file with its title and links it to records. It counts toward the workspace’s storage. ${lists}`,
    },
    async (ctx, { body, files }) => {
      const { id, inserted } = await createDocument(ctx, body, files.file)
      return ctx.commitThenRead(inserted, () => documents.renderUnscoped(ctx, id))
    },
  ),
  post(
    '/:id',
    {
      allow: 'documents.update',
      grants: false,
      record: documents.lock,
      body: ChangeByForm,
      upload: { file: documentFile },
      reply: Document,
      message: 'Document saved.',
      description: `Changes what is sent of the document, and is the only way to replace its file. ${lists}`,
    },
    async (ctx, { id, record, body, files }) => {
      await updateDocument(ctx, record, body, files.file)
      return documents.renderUnscoped(ctx, id)
    },
  ),
  del(
    '/:id/force',
    {
      allow: 'documents.force.delete',
      grants: false,
      record: documents.lockAny,
      guard: refuseOthers,
      message: 'Document deleted for good.',
    },
    (ctx, { record }) => purgeDocument(ctx, record),
  ),
  post(
    '/bulk-delete',
    {
      ...bulk,
      allow: 'documents.delete',
      grants: false,
      message: 'Documents deleted.',
      description: 'Moves up to 100 documents to the trash. Each succeeds or fails alone; 422 where all fail.',
    },
    (ctx, { body }) => removeDocuments(ctx, body.ids),
  ),
  post(
    '/bulk-force-delete',
    {
      ...bulk,
      allow: 'documents.force.delete',
      grants: false,
      description: 'Deletes up to 100 documents for good, with their files. Each succeeds or fails alone; 422 where all fail.',
      message: 'Documents deleted for good.',
    },
    (ctx, { body }) => purgeDocuments(ctx, body.ids),
  ),
  // DOC-23, DOC-24
  get(
    '/:id/download',
    {
      allow: 'documents.view',
      description: 'Answers the file as it was uploaded, under its original name.',
      file: documentTypes,
      storedFile: true,
    },
    async (ctx, { id }) => {
      const { original_name, mime, file_key } = await documents.find(ctx, id)
      return { name: original_name, type: mime, key: file_key }
    },
  ),
]

export default [...under('/documents', documentRoutes), ...under('/document-categories', categoryRoutes)]
