/** Leads as a file: the list's rows, its filters and its scope (LEAD-41). */
import type { z } from 'zod'
import type { WorkspaceSteps } from '#kernel/context.ts'
import type { Column } from '#kernel/export/columns.ts'
import { exportFile } from '#kernel/export/file.ts'
import { batches } from '#kernel/records/batches.ts'
import type { ExportFormat, ListQuery } from '#kernel/records/listing.ts'
import { leadList } from './leads.ts'
import { ExportedLead } from './schema.ts'

type Row = z.output<typeof ExportedLead>

const text = (key: keyof Row, title: string): Column<Row> => ({ key, title, format: 'text' })

const columns: Column<Row>[] = [
  text('name', 'Name'),
  text('lead_type', 'Type'),
  text('email', 'E-mail'),
  text('phone', 'Phone'),
  text('company', 'Company'),
  text('job_title', 'Job title'),
  text('source', 'Source'),
  { key: 'lead_value', title: 'Value', format: 'money' },
  text('priority', 'Priority'),
  text('status', 'Status'),
  { key: 'stage', title: 'Stage', format: 'text', value: ({ stage }) => stage.name },
  { key: 'tags', title: 'Tags', format: 'text', value: ({ tags }) => tags.map(({ name }) => name).join(', ') },
  { key: 'assignee', title: 'Assignee', format: 'text', value: ({ assignee }) => assignee?.name },
  { key: 'commission_rate', title: 'Commission rate', format: 'number' },
  { key: 'next_follow_up_at', title: 'Next follow-up', format: 'instant' },
  { key: 'converted_at', title: 'Converted at', format: 'instant' },
  { key: 'creator', title: 'Created by', format: 'text', value: ({ creator }) => creator?.name },
  { key: 'created_at', title: 'Created at', format: 'instant' },
]

export function exportLeads(steps: WorkspaceSteps, { format, ...query }: ListQuery & { format: ExportFormat }) {
  const rows = batches(leadList, query as ListQuery, steps.read, ExportedLead)
  return exportFile(steps, { name: 'leads', format, columns, rows })
}
