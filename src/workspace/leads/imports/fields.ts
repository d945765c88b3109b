/** What the columns of a file may be mapped to, how their headers are recognised, and the sample that shows them. */

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
export const fieldNames = importFields.map(({ field }) => field) as [FieldName, ...FieldName[]]

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
