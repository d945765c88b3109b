/** What is sent about an import, and what is shown of it. */
import { sql } from 'kysely'
import { z } from 'zod'
import { actorRef } from '#kernel/records/embed.ts'
import { computed, extended, view } from '#kernel/records/view.ts'
import { hardStamps, instant } from '#kernel/values/fields.ts'

export const STATUSES = ['uploaded', 'mapped', 'queued', 'processing', 'completed', 'failed', 'undoing', 'undone'] as const

/** Column header by field. */
export type Mapping = Record<string, string>

export const UploadImport = z.object({
  module: z
    .string()
    .trim()
    .toLowerCase()
    .max(100, 'Must be at most 100 characters.')
    .describe(
      'Which records the rows are: the path of their list, without its first slash. A wrong one is told all that there are.',
    ),
})

export const MapImport = z.object({
  mapping: z.record(z.string().max(100), z.string().max(300, 'Must be at most 300 characters.').nullable()).meta({
    description:
      'Column header by field; a field that is null or left out isn’t imported. With `external_id`, a row of a record that is called so changes it; with `id`, each row that has one.',
    examples: [{ name: 'Name', email: 'E-mail' }],
  }),
})

/** How many of the records that undoing left alone are shown. */
const MAX_KEPT = 100

export const Import = view('imports', 'Import', {
  uuid: z.string(),
  status: z.enum(STATUSES).describe('How far the import is.'),
  module: z.string().describe('Which records the rows are: the path of their list.'),
  user: actorRef('created_by'),
  file_name: z.string(),
  mapping: z.record(z.string(), z.string()).nullable(),
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
  })
  .meta({ id: 'ImportPreview' })
