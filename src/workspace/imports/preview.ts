/** Maps the columns of a file, and previews an import. */
import type { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { sentFor } from '#kernel/http/collections.ts'
import { rolledBack } from '#kernel/http/dry-run.ts'
import { assertDistinctSigns } from '#kernel/import/notation.ts'
import { notationOf } from '#kernel/import/table-fields.ts'
import {
  chunkAt,
  columnsOf,
  findImport,
  ID,
  type ImportRow,
  mappingOf,
  refuseStarted,
  saveImport,
  type Target,
  targetOf,
} from './imports.ts'
import { importRows, type Outcome } from './rows.ts'
import type { ImportPreview, MapImport, Mapping } from './schema.ts'

/**
 * PUT /imports/{uuid}. 422 on `mapping.<field>` for an unknown field, for a header that the file doesn't have, and for a missing
 * required field.
 */
export async function mapImport(ctx: Ctx, one: ImportRow, { mapping: sent, ...notation }: z.output<typeof MapImport>) {
  refuseStarted(one)
  const { fields } = await targetOf(ctx, one.module)
  const known = new Set([ID, ...fields].map(({ field }) => field))
  const mapping = Object.fromEntries(Object.entries(sent).filter(([, header]) => header))
  const wrong: Record<string, string> = {}
  for (const [field, header] of Object.entries(mapping)) {
    if (!known.has(field)) wrong[`mapping.${field}`] = 'Is no field that can be imported.'
    else if (!one.headers.includes(header!)) wrong[`mapping.${field}`] = 'Must be one of the file’s column headers.'
  }
  // Rows that change records don't require them.
  if (!mapping.id && !mapping.external_id)
    for (const { field, required } of fields) if (required && !mapping[field]) wrong[`mapping.${field}`] = 'Is required.'
  if (Object.keys(wrong).length) throw invalid(wrong)
  if (!Object.keys(mapping).some((field) => field !== 'id')) throw invalid({ mapping: 'Must name a field.' })
  assertDistinctSigns({ ...notationOf(one), ...notation })
  await saveImport(ctx, one, { mapping: JSON.stringify(mapping), status: 'mapped', ...notation })
}

/** Batches of rows in a preview. */
const MAX_BATCHES = 5
const MAX_ERRORS = 20
const MAX_SAMPLES = 20

/** Returns the mapped fields of the records that the first rows would create or change, read before the rollback. */
async function samplesOf(ctx: Ctx, { collection }: Target, mapping: Mapping, { done, failures }: Outcome) {
  const made = done.map(({ row_number: row, record_id, before }) => ({
    row,
    record_id,
    action: before ? ('updated' as const) : ('created' as const),
  }))
  const skipped = failures.map(({ row: { n: row } }) => ({ row, record_id: undefined, action: 'skipped' as const }))
  const first = [...made, ...skipped].toSorted((a, b) => a.row - b.row).slice(0, MAX_SAMPLES)
  const fields = Object.keys(mapping).filter((field) => field !== 'id')
  const ids = [...new Set(first.flatMap(({ record_id }) => record_id ?? []))]
  const values = ids.length ? await sentFor(ctx, collection, ids, fields) : new Map<number, Record<string, unknown>>()
  return first.map(({ row, action, record_id }) => ({ row, action, values: values.get(record_id ?? 0) ?? {} }))
}

/** Imports the first rows and rolls back. 422 on `status` before the mapping and after the run. */
export async function previewImport(steps: WorkspaceSteps, uuid: string): Promise<z.output<typeof ImportPreview>> {
  const one = await steps.read(async (ctx) => {
    const found = await findImport(ctx, uuid)
    refuseStarted(found)
    mappingOf(found)
    return found
  })
  const sample_records: z.output<typeof ImportPreview>['sample_records'] = []
  const counts = { total_rows: one.total_rows, tried_rows: 0, created_count: 0, updated_count: 0, failed_count: 0 }
  const sample_errors: z.output<typeof ImportPreview>['sample_errors'] = []
  for (let n = 0; n < MAX_BATCHES; n++) {
    const tried = await rolledBack({ run: (_, work) => steps.write(work as never) as never }, async (base) => {
      const ctx = base as Ctx
      const rows = await chunkAt(ctx, one.id, n)
      if (!rows) return undefined
      const target = await targetOf(ctx, one.module)
      const outcome = await importRows({ ...ctx, batch: one.uuid }, target, columnsOf(one), rows)
      return { rows, ...outcome, samples: n === 0 ? await samplesOf(ctx, target, mappingOf(one), outcome) : [] }
    })
    if (!tried) break
    const created = tried.done.filter(({ before }) => !before).length
    counts.tried_rows += tried.rows.length
    counts.created_count += created
    counts.updated_count += tried.done.length - created
    counts.failed_count += tried.failures.length
    const shown = tried.failures.slice(0, MAX_ERRORS - sample_errors.length)
    sample_records.push(...tried.samples)
    sample_errors.push(...shown.map(({ row, errors }) => ({ row: row.n, errors })))
  }
  if (!counts.tried_rows) throw invalid({ status: 'The import has been run meanwhile.' })
  return { ...counts, sample_errors, sample_records }
}
