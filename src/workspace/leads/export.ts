/** Export of leads: the list's rows, filters and scope (LEAD-41). */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import type { Column } from '#kernel/export/columns.ts'
import { exportFile } from '#kernel/export/file.ts'
import { batches } from '#kernel/records/batches.ts'
import type { ExportFormat, ListQuery } from '#kernel/records/listing.ts'
import { leadList, leads } from './leads.ts'
import { ExportedLead } from './schema.ts'

/** Adds the value by which an import finds the assignee: the name, or the email address where the name isn't unique. */
type Row = z.output<typeof ExportedLead> & { assigned: string | undefined }

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
  { key: 'assigned', title: 'Assignee', format: 'text' },
  { key: 'commission_rate', title: 'Commission rate', format: 'number' },
  { key: 'next_follow_up_at', title: 'Next follow-up', format: 'instant' },
  { key: 'converted_at', title: 'Converted at', format: 'instant' },
  { key: 'creator', title: 'Created by', format: 'text', value: ({ creator }) => creator?.name },
  { key: 'created_at', title: 'Created at', format: 'instant' },
]

export function exportLeads(steps: WorkspaceSteps, { format, ...query }: ListQuery & { format: ExportFormat }) {
  if (format === 'ndjson')
    return exportFile(steps, {
      name: 'leads',
      format,
      columns: [],
      rows: batches(leadList, query as ListQuery, steps.read, leads.item),
    })
  const rows = withAssignees(steps, batches(leadList, query as ListQuery, steps.read, ExportedLead))
  return exportFile(steps, { name: 'leads', format, columns, rows })
}

async function* withAssignees(
  steps: WorkspaceSteps,
  batches: AsyncGenerator<z.output<typeof ExportedLead>[]>,
): AsyncGenerator<Row[]> {
  for await (const some of batches) {
    const ids = [...new Set(some.flatMap(({ assignee }) => assignee?.id ?? []))]
    const addresses = ids.length ? await steps.read((ctx) => addressesOfNamesakes(ctx, ids)) : new Map<number, string>()
    yield some.map((lead) => ({ ...lead, assigned: addresses.get(lead.assignee?.id ?? 0) ?? lead.assignee?.name }))
  }
}

async function addressesOfNamesakes({ tx, tenant }: Ctx, ids: number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; email: string }>`
    select u.id, u.email from users u where u.tenant_id = ${tenant.id} and u.id = any(${ids}::bigint[]) and u.email is not null
      and exists (select from users o where o.tenant_id = u.tenant_id and lower(o.name) = lower(u.name) and o.id <> u.id and o.deleted_at is null)`.execute(
    tx,
  )
  return new Map(rows.map(({ id, email }) => [id, email]))
}
