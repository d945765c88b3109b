/** The rows that were not imported, as a file. */
import { Readable } from 'node:stream'
import type { WorkspaceSteps } from '#kernel/context.ts'
import type { FieldErrors } from '#kernel/errors.ts'
import { type Column, unguarded } from '#kernel/export/columns.ts'
import { csv } from '#kernel/export/csv.ts'
import type { FileReply } from '#kernel/http/answer.ts'
import { findImport } from './imports.ts'

export const CSV = 'text/csv; charset=utf-8'
const BATCH = 1000

interface Failed {
  row_number: number
  cells: string[]
  errors: FieldErrors
}

/**
 * failed-records.csv: each row as in the file, and its errors by field. The export's guard before a cell or header isn't doubled.
 */
export async function failedRecords(steps: WorkspaceSteps, uuid: string): Promise<FileReply> {
  const { id, headers } = await steps.read((ctx) => findImport(ctx, uuid))
  const columns: Column<Failed>[] = [
    { key: 'row_number', title: 'Row', format: 'number' },
    ...headers.map(
      (header, n): Column<Failed> => ({
        ...{ key: header, title: unguarded(header), format: 'text', value: ({ cells }) => unguarded(cells[n] ?? '') },
      }),
    ),
    { key: 'errors', title: 'Errors', format: 'text', value: ({ errors }) => textOf(errors) },
  ]
  return {
    name: 'failed-records.csv',
    type: CSV,
    content: () => Readable.from(csv(columns, failures(steps, id), steps.tenant.id)),
  }
}

const textOf = (errors: FieldErrors) =>
  Object.entries(errors)
    .map(([field, messages]) => (field ? `${field}: ` : '') + messages.join(' '))
    .join('; ')

async function* failures(steps: WorkspaceSteps, importId: number): AsyncGenerator<Failed[]> {
  for (let after = 0; ; ) {
    const rows = (await steps.read((ctx) =>
      ctx
        .from('import_failures')
        .select(['row_number', 'cells', 'errors'])
        .where('import_id', '=', importId)
        .where('row_number', '>', after)
        .orderBy('row_number')
        .limit(BATCH)
        .execute(),
    )) as Failed[]
    if (rows.length) yield rows
    if (rows.length < BATCH) return
    after = rows.at(-1)!.row_number
  }
}
