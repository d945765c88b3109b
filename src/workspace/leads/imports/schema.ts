/** Schemas of imports: fields that columns map to, options, and replies. */
import { sql } from 'kysely'
import { z } from 'zod'
import { titleKey } from '#kernel/import/table.ts'
import { foundTable, notationChanges, sampleRecords, tableColumns } from '#kernel/import/table-fields.ts'
import { actorRef } from '#kernel/records/embed.ts'
import { computed, view } from '#kernel/records/view.ts'
import { choice, hardStamps, instant } from '#kernel/values/fields.ts'

interface ImportField {
  field: string
  title: string
  /** Further headers that suggest this field, besides its name and title. */
  alias?: readonly string[]
  /** Value in the sample file; a date is relative to the day of download. */
  sample: string | ((today: string) => string)
}

const twoWeeksLater = (today: string) => `${Temporal.PlainDate.from(today).add({ weeks: 2 })}T09:30`

export const importFields = [
  { field: 'name', title: 'Name', alias: ['full name', 'lead', 'lead name', 'contact', 'contact name'], sample: 'Ada Lovelace' },
  { field: 'first_name', title: 'First name', alias: ['given name', 'forename'], sample: '' },
  { field: 'last_name', title: 'Last name', alias: ['surname', 'family name'], sample: '' },
  { field: 'lead_type', title: 'Type', sample: 'direct' },
  { field: 'email', title: 'E-mail', alias: ['email address', 'mail'], sample: 'ada@example.com' },
  { field: 'phone', title: 'Phone', alias: ['phone number', 'telephone', 'mobile', 'tel'], sample: '+1 212 555 0100' },
  {
    field: 'company',
    title: 'Company',
    alias: ['company name', 'organisation', 'organization', 'firm'],
    sample: 'Analytical Engines',
  },
  { field: 'job_title', title: 'Job title', alias: ['position', 'role'], sample: 'Director' },
  { field: 'source', title: 'Source', alias: ['lead source'], sample: 'Trade fair' },
  { field: 'lead_value', title: 'Value', alias: ['amount', 'deal value'], sample: '2500.00' },
  { field: 'estimated_value', title: 'Estimated value', sample: '' },
  { field: 'priority', title: 'Priority', sample: 'medium' },
  { field: 'status', title: 'Status', sample: 'active' },
  { field: 'stage', title: 'Stage', sample: 'New' },
  { field: 'assigned_to', title: 'Assigned to', alias: ['assignee', 'owner', 'assigned'], sample: '' },
  { field: 'tags', title: 'Tags', alias: ['tag', 'labels'], sample: 'Hot' },
  { field: 'commission_rate', title: 'Commission rate', alias: ['commission'], sample: '' },
  { field: 'follow_up_title', title: 'Follow-up', sample: 'Call back' },
  { field: 'follow_up_due_at', title: 'Follow-up due at', alias: ['due at', 'follow up date'], sample: twoWeeksLater },
  { field: 'note', title: 'Note', alias: ['notes', 'comment', 'comments', 'remarks'], sample: 'Asked for a brochure.' },
  { field: 'external_id', title: 'External id', alias: ['id', 'reference'], sample: 'CRM-1001' },
] as const satisfies ImportField[]

export type FieldName = (typeof importFields)[number]['field']
const fieldNames = importFields.map(({ field }) => field) as [FieldName, ...FieldName[]]

/** Column header by field. */
export type Mapping = Partial<Record<FieldName, string>>

/** Normalised titles of recognised columns. */
export const titleKeys: string[] = importFields.flatMap(({ field, title, ...more }) =>
  [field, title, ...('alias' in more ? more.alias : [])].map(titleKey),
)

/** Suggests a mapping from the headers: each field gets the first header that matches. */
export function suggestedMapping(headers: string[]): Mapping {
  const free = new Map(headers.map((header) => [header, titleKey(header)]))
  const mapping: Mapping = {}
  for (const { field, title, ...more } of importFields) {
    const alias: readonly string[] = 'alias' in more ? more.alias : []
    const meanings = [field, title, ...alias].map(titleKey)
    const found = [...free].find(([, header]) => meanings.includes(header))
    if (!found) continue
    mapping[field] = found[0]
    free.delete(found[0])
  }
  return mapping
}

/** LEAD-59. */
export const STATUSES = ['uploaded', 'mapped', 'queued', 'processing', 'completed', 'failed'] as const
const MODES = ['skip', 'update', 'keep'] as const
const ASSIGNMENTS = ['none', 'equal'] as const
/** Fields that can identify duplicates, among rows and among leads in the importer’s sight. */
export const UNIQUE_FIELDS = ['email', 'phone', 'name', 'external_id'] as const
export type UniqueField = (typeof UNIQUE_FIELDS)[number]

const Field = choice(fieldNames)
const header = () => z.string().max(300, 'Must be at most 300 characters.')

/** LEAD-62. */
export const MapImport = z.object({
  mapping: z
    .partialRecord(Field, header().nullable())
    .meta({ description: 'Column header by field; a field that is null or left out isn’t imported.' }),
  ...notationChanges,
})

/** LEAD-64. Omitted options stay unchanged. */
export const ChooseOptions = z.object({
  unique_fields: z
    .array(choice(UNIQUE_FIELDS))
    .max(UNIQUE_FIELDS.length)
    .optional()
    .describe('By which fields rows are found to be duplicates, of each other and of leads.'),
  duplicate_mode: choice(MODES).optional().describe('What is done with a duplicate: skipped, updated, or kept as another lead.'),
  assignment_mode: choice(ASSIGNMENTS)
    .optional()
    .describe('Whether new leads are nobody’s in particular or shared out equally among the importer’s departments.'),
})

/** LEAD-58. */
export const LeadImport = view('lead_imports', 'LeadImport', {
  uuid: z.string(),
  status: choice(STATUSES).describe('How far the import is.'),
  user: actorRef('created_by'),
  file_name: z.string(),
  mapping: z.partialRecord(Field, header()).nullable(),
  unique_fields: computed(z.array(choice(UNIQUE_FIELDS)), ({ table }) => sql.ref(`${table}.unique_fields`)),
  duplicate_mode: choice(MODES),
  assignment_mode: choice(ASSIGNMENTS),
  total_rows: z.int().meta({ description: 'How many rows the file has.', examples: [200] }),
  processed_rows: z.int().meta({ description: 'How many of them are done.', examples: [120] }),
  imported_count: z.int().meta({ description: 'How many became new leads.', examples: [100] }),
  updated_count: z.int().meta({ description: 'How many changed a lead that was there.', examples: [5] }),
  skipped_count: z.int().meta({ description: 'How many were left out as duplicates.', examples: [5] }),
  duplicate_count: z.int().meta({ description: 'How many were found to be duplicates.', examples: [10] }),
  failed_count: z.int().meta({ description: 'How many could not be imported; `failed-records` has them.', examples: [10] }),
  error: z
    .string()
    .nullable()
    .meta({ description: 'Why the import failed as a whole; null: it did not.', examples: ['The file is damaged.'] }),
  started_at: instant().nullable().describe('When it began; null: not yet.'),
  finished_at: instant().nullable().describe('When it ended; null: not yet.'),
  ...tableColumns,
  ...hardStamps,
})

/** Maximum number of skipped leads listed in an undo result. */
const MAX_KEPT = 100

/** Progress of undoing an import. */
export const LeadImportUndo = view('lead_imports', 'LeadImportUndo', {
  uuid: z.string(),
  status: computed(choice(['undoing', 'undone']).nullable(), ({ table }) => sql.ref(`${table}.undo_status`)).describe(
    'How far undoing is; null: nobody undoes the import.',
  ),
  undone_count: z.int().meta({ description: 'How many leads undoing deleted or put back.', examples: [98] }),
  kept_count: z.int().meta({ description: 'How many leads undoing had to leave as they are.', examples: [2] }),
  kept: computed(
    z.array(z.object({ id: z.int(), message: z.string() })).meta({
      description: `Leads that undoing had to leave as they are, with the reason: the first ${MAX_KEPT}.`,
      examples: [[{ id: 7, message: 'It was changed since.' }]],
    }),
    ({ ctx, table }) => sql`(
      select coalesce(json_agg(json_build_object('id', kept.record_id, 'message', kept.undo_error) order by kept.record_id), '[]') from (
        select record_id, undo_error from lead_import_records r
        where r.tenant_id = ${ctx.tenant.id} and r.import_id = ${sql.ref(`${table}.id`)} and r.undo_error is not null
        order by record_id limit ${MAX_KEPT}) kept)`,
  ),
  error: computed(z.string().nullable(), ({ table }) => sql.ref(`${table}.undo_error`)).meta({
    description: 'Why undoing failed as a whole, so that it may be asked for again; null: it did not.',
    examples: ['You do not have the permission leads.delete.'],
  }),
  undone_at: instant().nullable().describe('When undoing it began; null: nobody has.'),
})

/** LEAD-61. */
export const UploadedImport = z
  .object({
    import: LeadImport.describe('The import, by whose uuid it goes on.'),
    context: z
      .object({
        headers: z.array(z.string()).meta({ description: 'Headers of the file’s columns.', examples: [['Name', 'E-mail']] }),
        sample_rows: z
          .array(z.array(z.string()))
          .meta({ description: 'The first rows of the file.', examples: [[['Ann Ash', 'ann@nordwind.example']]] }),
        suggested_mapping: z
          .partialRecord(Field, header())
          .meta({ description: 'Which column seems to be which field.', examples: [{ name: 'Name', email: 'E-mail' }] }),
        fields: z
          .array(
            z.object({
              field: Field.describe('Name of the field.'),
              title: z.string(),
              required: z.boolean().describe('Whether it must be mapped.'),
            }),
          )
          .describe('All fields that can be imported.'),
        ...foundTable,
      })
      .describe('What was found in the file.'),
  })
  .meta({ id: 'UploadedLeadImport' })

/** LEAD-68. */
export const ImportPreview = z
  .object({
    total_rows: z.int(),
    valid_rows: z.int().meta({ description: 'How many could be imported.', examples: [190] }),
    invalid_rows: z.int().meta({ description: 'How many could not.', examples: [10] }),
    duplicate_rows: z.int().meta({ description: 'How many are duplicates.', examples: [5] }),
    sample_errors: z
      .array(
        z.object({
          row: z.int().meta({ description: 'Number of the row, the headers being the first.', examples: [4] }),
          errors: z
            .record(z.string(), z.array(z.string()))
            .meta({ description: 'What is wrong with it, by field.', examples: [{ email: ['Must be an e-mail address.'] }] }),
        }),
      )
      .describe('Some of the rows that could not be imported.'),
    sample_records: sampleRecords({ name: 'Ann Ash' }),
  })
  .meta({ id: 'LeadImportPreview' })
