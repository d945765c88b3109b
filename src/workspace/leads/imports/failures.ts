/** Rows that could not be imported: kept as they were in the file, with the reason. */

import type { Ctx } from '#kernel/context.ts'
import type { FieldErrors } from '#kernel/errors.ts'
import { insertAll } from '#kernel/records/many-rows.ts'
import type { FileRow } from './reading/limits.ts'

export interface Failure {
  row: FileRow
  reason: string
  /** By field; null for a technical exception. */
  errors: FieldErrors | null
}

/** The import as a whole, where no row is to blame. */
export const WHOLE: FileRow = { n: 0, cells: [] }

export const rejected = (row: FileRow, errors: FieldErrors): Failure => {
  const [field, [message] = []] = Object.entries(errors)[0] ?? []
  return { row, errors, reason: `${field}: ${message}` }
}

export const keepFailures = (ctx: Ctx, import_id: number, failures: Failure[]) =>
  insertAll(
    ctx,
    'lead_import_failures',
    failures.map(({ row, reason, errors }) => ({
      ...{ import_id, row_number: row.n, cells: row.cells as never, reason, errors: errors as never, created_at: ctx.now },
    })),
  )
