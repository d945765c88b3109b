/** Downloads of an import: failed rows and their reasons (LEAD-71), and a template with all columns (LEAD-60). */
import { Readable } from 'node:stream'
import type { WorkspaceSteps } from '#kernel/context.ts'
import { type Column, unguarded } from '#kernel/export/columns.ts'
import { csv } from '#kernel/export/csv.ts'
import { exportFile } from '#kernel/export/file.ts'
import type { FileReply } from '#kernel/http/answer.ts'
import { findImport } from './imports.ts'
import { importFields } from './schema.ts'

export const CSV = 'text/csv; charset=utf-8'
const BATCH = 1000

interface Failed {
  row_number: number
  cells: string[]
  reason: string
  errors: Record<string, string[]> | null
  created_at: string
}

/** failed_records.csv: each row as in the file (guard characters aren't doubled), the reason, and errors by field. */
export async function failedRecords(steps: WorkspaceSteps, uuid: string): Promise<FileReply> {
  const { id, headers } = await steps.read((ctx) => findImport(ctx, uuid))
  const columns: Column<Failed>[] = [
    { key: 'row_number', title: 'Row', format: 'number' },
    ...headers.map(
      (header, n): Column<Failed> => ({
        ...{ key: header, title: unguarded(header), format: 'text', value: ({ cells }) => unguarded(cells[n] ?? '') },
      }),
    ),
    { key: 'reason', title: 'Reason', format: 'text' },
    { key: 'errors', title: 'Validation errors', format: 'text', value: ({ errors }) => errorsOf(errors) },
  ]
  return fileOf(steps, 'failed_records.csv', columns, failures(steps, id, 'rows'))
}

/** error_report.csv: technical exceptions. Row 0 is the import as a whole. */
export async function errorReport(steps: WorkspaceSteps, uuid: string): Promise<FileReply> {
  const { id } = await steps.read((ctx) => findImport(ctx, uuid))
  const columns: Column<Failed>[] = [
    { key: 'row_number', title: 'Row', format: 'number' },
    { key: 'reason', title: 'Exception', format: 'text' },
    { key: 'created_at', title: 'At', format: 'instant' },
  ]
  return fileOf(steps, 'error_report.csv', columns, failures(steps, id, 'exceptions'))
}

const errorsOf = (errors: Failed['errors']) =>
  Object.entries(errors ?? {})
    .map(([field, messages]) => `${field}: ${messages.join(' ')}`)
    .join('; ')

const fileOf = (
  { tenant }: WorkspaceSteps,
  name: string,
  columns: Column<Failed>[],
  rows: AsyncGenerator<Failed[]>,
): FileReply => ({
  name,
  type: CSV,
  content: () => Readable.from(csv(columns, rows, tenant.id)),
})

async function* failures(steps: WorkspaceSteps, importId: number, which: 'rows' | 'exceptions'): AsyncGenerator<Failed[]> {
  for (let after = -1; ; ) {
    const rows = (await steps.read((ctx) =>
      ctx
        .from('lead_import_failures')
        .select(['row_number', 'cells', 'reason', 'errors', 'created_at'])
        .where('import_id', '=', importId)
        .where('row_number', '>', which === 'rows' ? Math.max(after, 0) : after)
        .$if(which === 'exceptions', (query) => query.where('errors', 'is', null))
        .orderBy('row_number')
        .limit(BATCH)
        .execute(),
    )) as Failed[]
    if (rows.length) yield rows
    if (rows.length < BATCH) return
    after = rows.at(-1)!.row_number
  }
}

/** Template with every column that can be imported and one sample row. */
export function importTemplate(steps: WorkspaceSteps, format: 'csv' | 'xlsx'): FileReply {
  const columns = importFields.map(
    ({ field, title, sample }): Column<object> => ({
      ...{ key: field, title, format: 'text', value: () => (typeof sample === 'string' ? sample : sample(steps.today())) },
    }),
  )
  async function* rows() {
    yield [{}]
  }
  return exportFile(steps, { name: 'leads-import-template', format, columns, rows: rows() })
}
