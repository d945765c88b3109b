/** What an import would come to (LEAD-68). Nothing is written. */
import type { z } from 'zod'
import type { WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { chunkAt } from './chunks.ts'
import { findImport, mappingOf, refuseStarted } from './imports.ts'
import { Matcher } from './matching.ts'
import { refuseUnpermitted } from './options.ts'
import type { ImportPreview } from './schema.ts'
import { validateRows } from './validate-rows.ts'

const MAX_ERRORS = 20

/** 422 on `status` before the mapping and after the run. */
export async function previewImport(steps: WorkspaceSteps, uuid: string): Promise<z.output<typeof ImportPreview>> {
  const one = await steps.read(async (ctx) => {
    const found = await findImport(ctx, uuid)
    refuseStarted(found)
    mappingOf(found)
    await refuseUnpermitted(ctx, found)
    return found
  })
  const matcher = new Matcher(one.unique_fields)
  const counts = { total_rows: one.total_rows, valid_rows: 0, invalid_rows: 0, duplicate_rows: 0 }
  const sample_errors: z.output<typeof ImportPreview>['sample_errors'] = []
  for (let n = 0; ; n++) {
    const examined = await steps.read(async (ctx) => {
      const rows = await chunkAt(ctx, one.id, n)
      if (!rows) return undefined
      const both = await validateRows(ctx, one, rows)
      await matcher.learn(ctx, both.sound)
      return both
    })
    if (!examined) break
    for (const row of examined.sound) {
      const { lead } = matcher.match(row)
      if (lead !== undefined) counts.duplicate_rows++
      if (lead === undefined || one.duplicate_mode === 'keep') matcher.add(row, 0)
    }
    counts.valid_rows += examined.sound.length
    counts.invalid_rows += examined.wrong.length
    const shown = examined.wrong.slice(0, MAX_ERRORS - sample_errors.length)
    sample_errors.push(...shown.map(({ row, errors }) => ({ row: row.n, errors })))
  }
  if (counts.valid_rows + counts.invalid_rows < counts.total_rows) throw invalid({ status: 'The import has been run meanwhile.' })
  return { ...counts, sample_errors }
}
