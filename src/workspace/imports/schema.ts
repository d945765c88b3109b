/** Input and replies of imports. */
import { sql } from 'kysely'
import { z } from 'zod'
import { notationFields } from '#kernel/import/notation.ts'
import {
  foundTable,
  headerRow,
  headersColumn,
  notationChanges,
  notationColumns,
  sampleRecords,
  sheetName,
  sheetsColumn,
  tableColumns,
} from '#kernel/import/table-fields.ts'
import { actorRef } from '#kernel/records/embed.ts'
import { computed, extended, view } from '#kernel/records/view.ts'
import { changesOf, hardStamps, instant, text } from '#kernel/values/fields.ts'

export const STATUSES = ['uploaded', 'mapped', 'queued', 'processing', 'completed', 'failed', 'undoing', 'undone'] as const

/** Column header by field. */
export type Mapping = Record<string, string>

const moduleName = () => z.string().trim().toLowerCase().max(100, 'Must be at most 100 characters.')

export const UploadImport = z.object({
  module: moduleName().describe(
    'Which records the rows are: the path of their list, without its first slash. A wrong one is told all that there are.',
  ),
  template_id: z
    .preprocess(
      (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
      z.int('Must be an id (a whole number).').positive('Must be an id (a whole number above 0).').optional(),
    )
    .describe('Template of such records by which the file is read and mapped.'),
})

const sentMapping = () => z.record(z.string().max(100), z.string().max(300, 'Must be at most 300 characters.').nullable())

export const MapImport = z.object({
  mapping: sentMapping().meta({
    description:
      'Column header by field; a field that is null or left out isn’t imported. With `external_id`, a row of a record that is called so changes it; with `id`, each row that has one.',
    examples: [{ name: 'Name', email: 'E-mail' }],
  }),
  ...notationChanges,
})

/** Maximum records skipped by undo that are shown. */
const MAX_KEPT = 100

export const Import = view('imports', 'Import', {
  uuid: z.string(),
  status: z.enum(STATUSES).describe('How far the import is.'),
  module: z.string().describe('Which records the rows are: the path of their list.'),
  user: actorRef('created_by'),
  file_name: z.string(),
  mapping: z
    .record(z.string(), z.string())
    .nullable()
    .meta({ description: 'Column header by field; null: it was not sent yet.', examples: [{ name: 'Name', email: 'E-mail' }] }),
  total_rows: z.int().meta({ description: 'How many rows the file has.', examples: [200] }),
  processed_rows: z.int().meta({ description: 'How many of them are done.', examples: [120] }),
  created_count: z.int().meta({ description: 'How many became new records.', examples: [100] }),
  updated_count: z.int().meta({ description: 'How many changed a record that was there.', examples: [10] }),
  failed_count: z.int().meta({ description: 'How many could not be imported; `failed-records` has them.', examples: [10] }),
  undone_count: z.int().meta({ description: 'How many records undoing deleted or put back.', examples: [0] }),
  kept_count: z.int().meta({ description: 'How many records undoing had to leave as they are.', examples: [0] }),
  error: z
    .string()
    .nullable()
    .meta({ description: 'Why the import failed as a whole; null: it did not.', examples: ['The file is damaged.'] }),
  started_at: instant().nullable().describe('When it began; null: not yet.'),
  finished_at: instant().nullable().describe('When it ended; null: not yet.'),
  undone_at: instant().nullable().describe('When undoing it began; null: nobody has.'),
  ...hardStamps,
})

export const ImportDetail = extended(Import, 'ImportDetail', {
  ...tableColumns,
  sheets: sheetsColumn,
  headers: headersColumn,
  kept: computed(
    z.array(z.object({ id: z.int(), message: z.string() })).meta({
      description: `Records that undoing had to leave as they are, with the reason: the first ${MAX_KEPT}.`,
      examples: [[{ id: 7, message: 'It was changed since.' }]],
    }),
    ({ ctx, table }) => sql`(
      select coalesce(json_agg(json_build_object('id', kept.record_id, 'message', kept.undo_error) order by kept.record_id), '[]') from (
        select record_id, undo_error from import_records r
        where r.tenant_id = ${ctx.tenant.id} and r.import_id = ${sql.ref(`${table}.id`)} and r.undo_error is not null
        order by record_id limit ${MAX_KEPT}) kept)`,
  ),
})

const Errors = z
  .record(z.string(), z.array(z.string()))
  .meta({ description: 'What is wrong with it, by field.', examples: [{ email: ['Must be an e-mail address.'] }] })

export const UploadedImport = z
  .object({
    import: ImportDetail.describe('The import, by whose uuid it goes on.'),
    context: z
      .object({
        headers: z.array(z.string()).meta({ description: 'Headers of the file’s columns.', examples: [['Name', 'E-mail']] }),
        sample_rows: z
          .array(z.array(z.string()))
          .meta({ description: 'The first rows of the file.', examples: [[['Nordwind', 'info@nordwind.example']]] }),
        suggested_mapping: z
          .record(z.string(), z.string())
          .meta({ description: 'Which column seems to be which field.', examples: [{ name: 'Name', email: 'E-mail' }] }),
        fields: z
          .array(
            z.object({
              field: z.string().meta({ description: 'Name of the field.', examples: ['name'] }),
              title: z.string(),
              required: z.boolean().describe('Whether a new record needs it.'),
            }),
          )
          .describe('All fields that can be imported.'),
        ...foundTable,
        template: z
          .object({ id: z.int(), name: z.string() })
          .nullable()
          .describe('Template whose columns the file has, and whose mapping is suggested; null: there is none.'),
      })
      .describe('What was found in the file.'),
  })
  .meta({ id: 'UploadedImport' })

export const ImportPreview = z
  .object({
    total_rows: z.int(),
    tried_rows: z.int().meta({ description: 'How many of them were tried, from the first one on.', examples: [200] }),
    created_count: z.int().meta({ description: 'How many would become new records.', examples: [180] }),
    updated_count: z.int().meta({ description: 'How many would change a record.', examples: [10] }),
    failed_count: z.int().meta({ description: 'How many could not be imported.', examples: [10] }),
    sample_errors: z
      .array(
        z.object({
          row: z.int().meta({ description: 'Number of the row, the headers being the first.', examples: [4] }),
          errors: Errors,
        }),
      )
      .describe('Some of the rows that could not be imported.'),
    sample_records: sampleRecords({ name: 'Nordwind' }),
  })
  .meta({ id: 'ImportPreview' })

const described = {
  name: { description: 'What the template is called.', examples: ['Monthly price list'] },
  mapping: { description: 'Column header by field.', examples: [{ name: 'Name', email: 'E-mail' }] },
  sheet: { description: 'Name of the sheet that is read; null: the first one with a table.', examples: ['Prices'] },
  header_row: { description: 'Number of the row with the headers; null: it is recognised.', examples: [3] },
}

export const CreateImportTemplate = z.object({
  module: moduleName().describe('Which records the rows are: the path of their list, without its first slash.'),
  name: text(100).meta(described.name),
  mapping: sentMapping()
    .refine((mapping) => Object.values(mapping).some(Boolean), 'Must name a field.')
    .refine((mapping) => Object.keys(mapping).length <= 200, 'Must name at most 200 fields.')
    .meta(described.mapping),
  sheet: sheetName().nullable().default(null).meta(described.sheet),
  header_row: headerRow().nullable().default(null).meta(described.header_row),
  decimal_sign: notationFields.decimal_sign.default('.'),
  group_sign: notationFields.group_sign.default(null),
  day_order: notationFields.day_order.default(null),
})

export const ChangeImportTemplate = changesOf(CreateImportTemplate.omit({ module: true }))

export const ImportTemplate = view('import_templates', 'ImportTemplate', {
  id: z.int(),
  module: z.string().describe('Which records the rows are: the path of their list.'),
  name: z.string().meta(described.name),
  mapping: z.record(z.string(), z.string()).meta(described.mapping),
  sheet: z.string().nullable().meta(described.sheet),
  header_row: z.int().nullable().meta(described.header_row),
  ...notationColumns,
  user: actorRef('created_by'),
  ...hardStamps,
})
