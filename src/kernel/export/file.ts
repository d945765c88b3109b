/** An export as a reply: the rows of a list as a CSV or XLSX file that is written while it is sent. */
import { Readable } from 'node:stream'
import type { WorkspaceSteps } from '../context.ts'
import type { FileReply } from '../http/answer.ts'
import type { Column } from './columns.ts'
import { csv } from './csv.ts'
import { xlsx } from './xlsx.ts'

const types = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** What a route that exports may answer: its `file`. */
export const exportTypes = Object.values(types)

/** `<name>-<the workspace's date>.csv`: `return exportFile(steps, { name: 'vendors', format, columns, rows: batches(…) })` */
export function exportFile<R>(
  steps: WorkspaceSteps,
  {
    name,
    format,
    columns,
    rows,
  }: { name: string; format: 'csv' | 'xlsx'; columns: readonly Column<R>[]; rows: AsyncGenerator<R[]> },
): FileReply {
  const { timezone } = steps.tenant
  return {
    name: `${name}-${steps.today()}.${format}`,
    type: types[format],
    async content() {
      const batches = await started(rows)
      return format === 'csv' ? Readable.from(csv(columns, batches)) : xlsx(columns, batches, { name, timezone })
    },
  }
}

/** Batches of which the first is read already: what fails at once is an error reply and not a broken file. */
async function started<R>(batches: AsyncGenerator<R[]>): Promise<AsyncGenerator<R[]>> {
  const first = await batches.next()
  return (async function* () {
    if (!first.done) yield first.value
    yield* batches
  })()
}
