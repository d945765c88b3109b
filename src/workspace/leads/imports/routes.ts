import { z } from 'zod'
import { tableTypes } from '#kernel/export/file.ts'
import { workspace } from '#kernel/http/route.ts'
import { importFile, importTypes } from '#kernel/import/file.ts'
import { chooseTableSpec } from '#kernel/import/table-fields.ts'
import { choice } from '#kernel/values/fields.ts'
import { findImport, importList, lockImport, showImport, showUndo } from './imports.ts'
import { chooseOptions, mapImport, previewImport } from './options.ts'
import { CSV, errorReport, failedRecords, importTemplate } from './reports.ts'
import { runImport } from './run.ts'
import { ChooseOptions, ImportPreview, LeadImport, LeadImportUndo, MapImport, UploadedImport } from './schema.ts'
import { undoImport } from './undo.ts'
import { chooseTable, uploadImport } from './upload.ts'

const { get, post, put, multiTransaction } = workspace

const allow = 'leads.import'
const changing = {
  allow,
  record: (ctx: Parameters<typeof lockImport>[0], uuid: string) => lockImport(ctx, uuid),
  reply: LeadImport,
} as const
const Template = z.object({ format: choice(['csv', 'xlsx']).default('csv') })

/** LEAD-57. */
export default [
  multiTransaction.get(
    '/import/template',
    {
      allow,
      description: 'Answers a sample file with all columns that can be imported and one row.',
      query: Template,
      file: tableTypes,
    },
    (steps, { query }) => importTemplate(steps, query.format),
  ),
  get('/imports', { allow, query: importList.query, page: LeadImport }, (ctx, { query }) => importList.page(ctx, query)),
  multiTransaction.post(
    '/imports',
    {
      allow,
      grants: false,
      body: z.object({}),
      upload: { file: { ...importFile, required: true } },
      reply: UploadedImport,
      status: 201,
      message: 'File uploaded.',
      description:
        'Takes a CSV or XLSX file of leads and answers what was found in it with a suggested mapping. The sheet with the table, its row of column headers and the notation of its numbers and days are recognised. Nothing is imported until `run`.',
    },
    (steps, { files }) => uploadImport(steps, files.file),
  ),
  get('/imports/:uuid', { allow, reply: LeadImport }, (ctx, { uuid }) => showImport(ctx, uuid)),
  put(
    '/imports/:uuid',
    {
      grants: false,
      ...changing,
      body: MapImport,
      message: 'Mapping saved.',
      description:
        'Says which column of the file is which field of a lead, and how its texts write numbers and days where that was not recognised.',
    },
    async (ctx, { uuid, record, body }) => {
      await mapImport(ctx, record, body)
      return showImport(ctx, uuid)
    },
  ),
  multiTransaction.put(
    '/imports/:uuid/table',
    {
      allow,
      ...chooseTableSpec,
      record: (ctx: Parameters<typeof findImport>[0], uuid: string) => findImport(ctx, uuid),
      reply: UploadedImport,
    },
    (steps, { uuid, body }) => chooseTable(steps, uuid, body),
  ),
  put(
    '/imports/:uuid/options',
    {
      grants: false,
      ...changing,
      body: ChooseOptions,
      message: 'Options saved.',
      description: 'Says what counts as a duplicate, what is done with one, and whether new leads are shared out.',
    },
    async (ctx, { uuid, record, body }) => {
      await chooseOptions(ctx, record, body)
      return showImport(ctx, uuid)
    },
  ),
  multiTransaction.post(
    '/imports/:uuid/preview',
    {
      allow,
      grants: false,
      description:
        'Reads all rows with the mapping and options at hand and answers what would come of them, with the values of the first ones as they would be stored. Nothing is written.',
      reply: ImportPreview,
    },
    (steps, { uuid }) => previewImport(steps, uuid),
  ),
  post(
    '/imports/:uuid/run',
    {
      grants: false,
      ...changing,
      message: 'Import queued.',
      description: 'Queues the import. `GET …/imports/{uuid}` tells how far it is.',
    },
    async (ctx, { uuid, record }) => {
      await runImport(ctx, record)
      return showImport(ctx, uuid)
    },
  ),
  post(
    '/imports/:uuid/undo',
    {
      grants: false,
      ...changing,
      reply: LeadImportUndo,
      message: 'Undoing queued.',
      description:
        'Deletes the leads that the import made, and puts back those that it changed, without the notes and follow-ups of its rows, within 30 days of its end. Leads that somebody has changed since, or that no longer may be changed so, are left alone: `kept` has these. The import itself stays as it is.',
    },
    async (ctx, { uuid, record }) => {
      await undoImport(ctx, record)
      return showUndo(ctx, uuid)
    },
  ),
  get(
    '/imports/:uuid/undo',
    { allow, reply: LeadImportUndo, description: 'Answers how far undoing the import is.' },
    (ctx, { uuid }) => showUndo(ctx, uuid),
  ),
  get(
    '/imports/:uuid/file',
    { allow, description: 'Answers the file as it was uploaded.', file: importTypes, storedFile: true },
    async (ctx, { uuid }) => {
      const { file_name, mime, file_key } = await findImport(ctx, uuid)
      return { name: file_name, type: mime, key: file_key }
    },
  ),
  multiTransaction.get(
    '/imports/:uuid/failed-records',
    {
      allow,
      description: 'Answers the rows that were not imported, with the reasons, as CSV: mend them and import them again.',
      file: CSV,
    },
    (steps, { uuid }) => failedRecords(steps, uuid),
  ),
  multiTransaction.get(
    '/imports/:uuid/error-report',
    { allow, description: 'Answers what went wrong on the side of the service, by row, as CSV.', file: CSV },
    (steps, { uuid }) => errorReport(steps, uuid),
  ),
]
