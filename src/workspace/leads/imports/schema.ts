/** What the columns of a file may be mapped to, what may be chosen for an import, and what is shown of it. */
import { sql } from 'kysely'
import { z } from 'zod'
import { userRef } from '#kernel/records/embed.ts'
import { computed, view } from '#kernel/records/view.ts'
import { choice, hardStamps, instant } from '#kernel/values/fields.ts'

interface ImportField {
  field: string
  title: string
  /** Headers that mean it, besides the field's name and its title. */
  alias?: readonly string[]
  sample: string
}

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
  { field: 'follow_up_due_at', title: 'Follow-up due at', alias: ['due at', 'follow up date'], sample: '2030-01-15T09:30' },
  { field: 'note', title: 'Note', alias: ['notes', 'comment', 'comments', 'remarks'], sample: 'Asked for a brochure.' },
  { field: 'external_id', title: 'External id', alias: ['id', 'reference'], sample: 'CRM-1001' },
] as const satisfies ImportField[]

export type FieldName = (typeof importFields)[number]['field']
const fieldNames = importFields.map(({ field }) => field) as [FieldName, ...FieldName[]]

/** Column header by field. */
export type Mapping = Partial<Record<FieldName, string>>

const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** The fields whose columns can be told by their headers: each takes the first header that means it. */
export function suggestedMapping(headers: string[]): Mapping {
  const free = new Map(headers.map((header) => [header, letters(header)]))
  const mapping: Mapping = {}
  for (const { field, title, ...more } of importFields) {
    const alias: readonly string[] = 'alias' in more ? more.alias : []
    const meanings = [field, title, ...alias].map(letters)
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
