import { z } from 'zod'
import { exportTypes } from '#kernel/export/file.ts'
import { workspace } from '#kernel/http/route.ts'
import { choice } from '#kernel/values/fields.ts'
import { findImport, importList, lockImport, showImport } from './imports.ts'
import { chooseOptions, mapImport, previewImport } from './options.ts'
import { CSV, errorReport, failedRecords, importTemplate } from './reports.ts'
import { runImport } from './run.ts'
import { ChooseOptions, ImportPreview, LeadImport, MapImport, UploadedImport } from './schema.ts'
import { importFile, importTypes, uploadImport } from './upload.ts'

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
  multiTransaction.get('/import/template', { allow, query: Template, file: exportTypes }, (steps, { query }) =>
    importTemplate(steps, query.format),
  ),
  get('/imports', { allow, query: importList.query, page: LeadImport }, (ctx, { query }) => importList.page(ctx, query)),
  multiTransaction.post(
    '/imports',
    { allow, body: z.object({}), upload: { file: importFile }, reply: UploadedImport, status: 201, message: 'File uploaded.' },
    (steps, { files }) => uploadImport(steps, files.file),
  ),
  get('/imports/:uuid', { allow, reply: LeadImport }, (ctx, { uuid }) => showImport(ctx, uuid)),
  put('/imports/:uuid', { ...changing, body: MapImport, message: 'Mapping saved.' }, async (ctx, { uuid, record, body }) => {
    await mapImport(ctx, record, body)
    return showImport(ctx, uuid)
  }),
  put(
    '/imports/:uuid/options',
    { ...changing, body: ChooseOptions, message: 'Options saved.' },
    async (ctx, { uuid, record, body }) => {
      await chooseOptions(ctx, record, body)
      return showImport(ctx, uuid)
    },
  ),
  multiTransaction.post('/imports/:uuid/preview', { allow, reply: ImportPreview }, (steps, { uuid }) =>
    previewImport(steps, uuid),
  ),
  post('/imports/:uuid/run', { ...changing, message: 'Import queued.' }, async (ctx, { uuid, record }) => {
    await runImport(ctx, record)
    return showImport(ctx, uuid)
  }),
  get('/imports/:uuid/file', { allow, file: importTypes }, async (ctx, { uuid }) => {
    const { file_name, mime, file_key } = await findImport(ctx, uuid)
    return { name: file_name, type: mime, key: file_key }
  }),
  multiTransaction.get('/imports/:uuid/failed-records', { allow, file: CSV }, (steps, { uuid }) => failedRecords(steps, uuid)),
  multiTransaction.get('/imports/:uuid/error-report', { allow, file: CSV }, (steps, { uuid }) => errorReport(steps, uuid)),
]
