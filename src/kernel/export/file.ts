/** Exports as replies: a list's rows as a file that is generated while it is sent. */
import { Readable } from 'node:stream'
import type { WorkspaceSteps } from '../context.ts'
import type { ExportFormat } from '../records/listing.ts'
import type { Column } from './columns.ts'
import { csv } from './csv.ts'
import { ndjson } from './ndjson.ts'
import { beginExport } from './running.ts'
import { xlsx } from './xlsx.ts'

const types: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ndjson: 'application/x-ndjson; charset=utf-8',
}

/** Media types of an export route, for its `file`. */
export const exportTypes = Object.values(types)

/** Media types of a route that returns a table of cells. */
export const tableTypes = [types.csv, types.xlsx]

/** File that is generated while it is sent. */
interface MadeFile {
  name: string
  type: string
  content(): Promise<Readable>
}

interface StreamedExport<R> {
  name: string
  extension: string
  /** Media type with its charset. */
  type: string
  rows: AsyncGenerator<R[]>
  /** Returns the file, generated while it is read. */
  write(batches: AsyncGenerator<R[]>): Readable
}

/**
 * Returns the file `<name>-<the workspace's date>.<extension>`. It counts as an export of the actor until it has been read;
 * throws 503 EXPORTS_BUSY if there are too many.
 */
export function streamExport<R>(steps: WorkspaceSteps, { name, extension, type, rows, write }: StreamedExport<R>): MadeFile {
  return {
    name: `${name}-${steps.today()}.${extension}`,
    type,
    async content() {
      const end = beginExport(steps)
      try {
        return write(await started(rows)).once('close', end)
      } catch (error) {
        end()
        throw error
      }
    },
  }
}

/** `return exportFile(steps, { name: 'vendors', format, columns, rows: batches(…) })` */
export function exportFile<R>(
  steps: WorkspaceSteps,
  {
    name,
    format,
    columns,
    rows,
  }: { name: string; format: ExportFormat; columns: readonly Column<R>[]; rows: AsyncGenerator<R[]> },
): MadeFile {
  const { timezone, id: workspace } = steps.tenant
  const write = (batches: AsyncGenerator<R[]>) =>
    format === 'xlsx'
      ? xlsx(columns, batches, { name, timezone, workspace })
      : Readable.from(format === 'csv' ? csv(columns, batches, workspace) : ndjson(batches, workspace))
  return streamExport(steps, { name, extension: format, type: types[format], rows, write })
}

/** Reads the first batch in advance, so that an immediate failure is an error reply instead of a broken file. */
async function started<R>(batches: AsyncGenerator<R[]>): Promise<AsyncGenerator<R[]>> {
  const first = await batches.next()
  return (async function* () {
    if (!first.done) yield first.value
    yield* batches
  })()
}
