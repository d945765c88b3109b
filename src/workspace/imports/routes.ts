import { workspace } from '#kernel/http/route.ts'
import { importFile, importTypes } from '#kernel/import/file.ts'
import { chooseTableSpec } from '#kernel/import/table-fields.ts'
import { findImport, importQuery, lockImport, pageOfImports, showImport } from './imports.ts'
import { mapImport, previewImport } from './preview.ts'
import { CSV, failedRecords } from './reports.ts'
import { runImport, undoImport } from './run.ts'
import {
  ChangeImportTemplate,
  CreateImportTemplate,
  Import,
  ImportDetail,
  ImportPreview,
  ImportTemplate,
  MapImport,
  UploadedImport,
  UploadImport,
} from './schema.ts'
import {
  changeTemplate,
  createTemplate,
  lockTemplate,
  pageOfTemplates,
  removeTemplate,
  showTemplate,
  templateQuery,
} from './templates.ts'
import { chooseTable, uploadImport } from './upload.ts'

const { get, post, put, del, multiTransaction } = workspace

/** Each row requires the permission to create or change such a record. */
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
        'Takes a CSV or XLSX file of records and answers what was found in it with a suggested mapping. The sheet with the table, its row of column headers (as an export has them) and the notation of its numbers and days are recognised, unless `template_id` names a template that has them. Nothing is imported until `run`. 403 for who may neither create nor change such records.',
    },
    (steps, { body, files }) => uploadImport(steps, body, files.file),
  ),
  get(
    '/templates',
    {
      ...own,
      query: templateQuery,
      page: ImportTemplate,
      description: 'Answers the templates of records that the caller may import.',
    },
    (ctx, { query }) => pageOfTemplates(ctx, query),
  ),
  post(
    '/templates',
    {
      ...own,
      grants: false,
      body: CreateImportTemplate,
      reply: ImportTemplate,
      status: 201,
      message: 'Template saved.',
      description:
        'Saves what the columns of a kind of file mean and how it is read, for everybody who may import such records. 403 for others.',
    },
    (ctx, { body }) => createTemplate(ctx, body),
  ),
  get('/templates/:id', { ...own, reply: ImportTemplate }, (ctx, { id }) => showTemplate(ctx, id)),
  put(
    '/templates/:id',
    {
      ...own,
      grants: false,
      record: lockTemplate,
      body: ChangeImportTemplate,
      reply: ImportTemplate,
      message: 'Template saved.',
    },
    (ctx, { record, body }) => changeTemplate(ctx, record, body),
  ),
  del(
    '/templates/:id',
    { ...own, grants: false, record: lockTemplate, message: 'Template deleted.' },
    async (ctx, { record }) => {
      await removeTemplate(ctx, record)
    },
  ),
  get('/:uuid', { ...own, reply: ImportDetail }, (ctx, { uuid }) => showImport(ctx, uuid)),
  put(
    '/:uuid',
    {
      grants: false,
      ...changing,
      body: MapImport,
      message: 'Mapping saved.',
      description:
        'Says which column of the file is which field of a record, and how its texts write numbers and days where that was not recognised.',
    },
    async (ctx, { uuid, record, body }) => {
      await mapImport(ctx, record, body)
      return showImport(ctx, uuid)
    },
  ),
  multiTransaction.put(
    '/:uuid/table',
    {
      ...own,
      ...chooseTableSpec,
      record: (ctx: Parameters<typeof findImport>[0], uuid: string) => findImport(ctx, uuid),
      reply: UploadedImport,
    },
    (steps, { uuid, body }) => chooseTable(steps, uuid, body),
  ),
  multiTransaction.post(
    '/:uuid/preview',
    {
      grants: false,
      ...own,
      reply: ImportPreview,
      message: 'Tried.',
      description:
        'Imports the first 500 rows with the mapping at hand, a hundred at a time, answers what came of them, with the values of the first records as they would be stored, and takes that back: nothing is written.',
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
