/** Exports any list of records: CSV and XLSX in the form that imports read, NDJSON as the list shows the records. */
import type { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '../context.ts'
import { batches } from '../records/batches.ts'
import type { ExportFormat, Listing, ListQuery } from '../records/listing.ts'
import { type Resource, resources } from '../records/resource.ts'
import type { View } from '../records/view.ts'
import { exportFile } from './file.ts'
import { cellsOf, fileColumns, recordTable } from './record-columns.ts'

/** Records, or rows of another table. */
export type Exported = Pick<Resource, 'table' | 'item'> & { detail?: View; module?: string }

/** Prepares the export of a kind of record; its columns are computed once. `body` is its request body. */
export function recordExport(of: Exported, list: Listing<any, Ctx>, body: z.ZodObject) {
  const { columns, view } = recordTable({ item: of.item, detail: of.detail ?? of.item }, body)
  /** Kinds of record that share a table, such as users and service accounts, are named after their modules. */
  const nameOf = () => {
    const isShared = resources.some((one) => one !== of && one.table === of.table)
    return isShared && of.module ? of.module : of.table.replaceAll('_', '-')
  }
  return (steps: WorkspaceSteps, { format, ...asked }: ListQuery & { format: ExportFormat }) => {
    const usual = asked as ListQuery
    const name = nameOf()
    // Batches need a single sort column: lists sorted by several are read by `created_at`.
    const query = list.order(usual).by.length > 1 ? { ...usual, sort: 'created_at', direction: 'asc' as const } : usual
    if (format === 'ndjson')
      return exportFile(steps, { name, format, columns: [], rows: batches(list, query, steps.read, of.item) })
    async function* rows() {
      for await (const batch of batches(list, query, steps.read, view))
        yield await steps.read((ctx) => cellsOf(ctx, columns, body, batch as Record<string, unknown>[]))
    }
    return exportFile(steps, { name, format, columns: fileColumns(columns), rows: rows() })
  }
}
