import { workspace } from '#kernel/http/route.ts'
import { importFile, importTypes } from '#kernel/import/file.ts'
import { findImport, importQuery, lockImport, pageOfImports, showImport } from './imports.ts'
import { mapImport, previewImport } from './preview.ts'
import { CSV, failedRecords } from './reports.ts'
import { runImport, undoImport } from './run.ts'
import { Import, ImportDetail, ImportPreview, MapImport, UploadedImport, UploadImport } from './schema.ts'
import { uploadImport } from './upload.ts'

const { get, post, put, multiTransaction } = workspace

/** What each row asks for is the permission to make or change such a record. */
const own = { allow: 'signed-in', anyKey: true } as const
const changing = {
  ...own,
  record: (ctx: Parameters<typeof lockImport>[0], uuid: string) => lockImport(ctx, uuid),
  reply: ImportDetail,
} as const

export default [
  get(
    '/',
    {
      ...own,
      query: importQuery,
      page: Import,
      description:
        'Answers the caller’s own imports, but for those that a module has of its own; a key’s are those of records that it may make or change.',
    },
    (ctx, { query }) => pageOfImports(ctx, query),
  ),
  multiTransaction.post(
    '/',
    {
      grants: false,
      ...own,
      body: UploadImport,
      upload: { file: { ...importFile, required: true } },
      reply: UploadedImport,
      status: 201,
      message: 'File uploaded.',
      description:
        'Takes a CSV or XLSX file of records, whose first row has the column headers, as an export has them, and answers what was found in it with a suggested mapping. Nothing is imported until `run`. 403 for who may neither create nor change such records.',
    },
    (steps, { body, files }) => uploadImport(steps, body.module, files.file),
  ),
  get('/:uuid', { ...own, reply: ImportDetail }, (ctx, { uuid }) => showImport(ctx, uuid)),
  put(
    '/:uuid',
    {
      grants: false,
      ...changing,
      body: MapImport,
      message: 'Mapping saved.',
      description: 'Says which column of the file is which field of a record.',
    },
    async (ctx, { uuid, record, body }) => {
      await mapImport(ctx, record, body)
      return showImport(ctx, uuid)
    },
  ),
  multiTransaction.post(
    '/:uuid/preview',
    {
      grants: false,
      ...own,
      reply: ImportPreview,
      message: 'Tried.',
      description:
        'Imports the first 500 rows with the mapping at hand, a hundred at a time, answers what came of them, and takes that back: nothing is written.',
    },
    (steps, { uuid }) => previewImport(steps, uuid),
  ),
  post(
    '/:uuid/run',
    {
      grants: false,
      ...changing,
      message: 'Import queued.',
      description:
        'Queues the import. Each row goes the way of a request that creates or changes one record, with the caller’s permissions; `GET …/imports/{uuid}` tells how far it is. Who is given records is told once, when it ends.',
    },
    async (ctx, { uuid, record }) => {
      await runImport(ctx, record)
      return showImport(ctx, uuid)
    },
  ),
  post(
    '/:uuid/undo',
    {
      grants: false,
      ...changing,
      message: 'Undoing queued.',
      description:
        'Deletes what the import created (what counts, as payments do, is voided before) and puts back what it changed, within 30 days, but for records that somebody has changed since or that no longer may be changed so. `kept` has these.',
    },
    async (ctx, { uuid, record }) => {
      await undoImport(ctx, record)
      return showImport(ctx, uuid)
    },
  ),
  get(
    '/:uuid/file',
    { ...own, description: 'Answers the file as it was uploaded.', file: importTypes, storedFile: true },
    async (ctx, { uuid }) => {
      const { file_name, mime, file_key } = await findImport(ctx, uuid)
      return { name: file_name, type: mime, key: file_key }
    },
  ),
  multiTransaction.get(
    '/:uuid/failed-records',
    {
      ...own,
      description: 'Answers the rows that were not imported, with the reasons, as CSV: mend them and import them again.',
      file: CSV,
    },
    (steps, { uuid }) => failedRecords(steps, uuid),
  ),
]
