import { sql } from 'kysely'
import { z } from 'zod'
import { userRef } from '#kernel/records/embed.ts'
import { computed, view } from '#kernel/records/view.ts'
import { choice, hardStamps, instant } from '#kernel/values/fields.ts'
import { fieldNames } from './fields.ts'

/** LEAD-59. */
export const STATUSES = ['uploaded', 'mapped', 'queued', 'processing', 'completed', 'failed'] as const
const MODES = ['skip', 'update', 'keep'] as const
const ASSIGNMENTS = ['none', 'equal'] as const
/** By what rows can be found to be duplicates: of each other, and of leads in the importer’s sight. */
export const UNIQUE_FIELDS = ['email', 'phone', 'name', 'external_id'] as const
export type UniqueField = (typeof UNIQUE_FIELDS)[number]

const Field = choice(fieldNames)
const header = () => z.string().max(300, 'Must be at most 300 characters.')

/** LEAD-62. */
export const MapImport = z.object({
  mapping: z
    .partialRecord(Field, header().nullable())
    .meta({ description: 'Column header by field; a field that is null or left out isn’t imported.' }),
})

/** LEAD-64. What isn't sent stays. */
export const ChooseOptions = z.object({
  unique_fields: z.array(choice(UNIQUE_FIELDS)).max(UNIQUE_FIELDS.length).optional(),
  duplicate_mode: choice(MODES).optional(),
  assignment_mode: choice(ASSIGNMENTS).optional(),
})

/** LEAD-58. */
export const LeadImport = view('lead_imports', 'LeadImport', {
  uuid: z.string(),
  status: choice(STATUSES),
  user: userRef('created_by'),
  file_name: z.string(),
  mapping: z.partialRecord(Field, header()).nullable(),
  unique_fields: computed(z.array(choice(UNIQUE_FIELDS)), ({ table }) => sql.ref(`${table}.unique_fields`)),
  duplicate_mode: choice(MODES),
  assignment_mode: choice(ASSIGNMENTS),
  total_rows: z.int(),
  processed_rows: z.int(),
  imported_count: z.int(),
  updated_count: z.int(),
  skipped_count: z.int(),
  duplicate_count: z.int(),
  failed_count: z.int(),
  error: z.string().nullable(),
  started_at: instant().nullable(),
  finished_at: instant().nullable(),
  ...hardStamps,
})

/** LEAD-61. */
export const UploadedImport = z
  .object({
    import: LeadImport,
    context: z.object({
      headers: z.array(z.string()),
      sample_rows: z.array(z.array(z.string())),
      suggested_mapping: z.partialRecord(Field, header()),
      fields: z.array(z.object({ field: Field, title: z.string(), required: z.boolean() })),
    }),
  })
  .meta({ id: 'UploadedLeadImport' })

/** LEAD-68. */
export const ImportPreview = z
  .object({
    total_rows: z.int(),
    valid_rows: z.int(),
    invalid_rows: z.int(),
    duplicate_rows: z.int(),
    sample_errors: z.array(z.object({ row: z.int(), errors: z.record(z.string(), z.array(z.string())) })),
  })
  .meta({ id: 'LeadImportPreview' })
