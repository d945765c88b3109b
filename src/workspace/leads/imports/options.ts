/** Mapping and options of an import, and its preview (LEAD-68). */
import type { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import { assertDistinctSigns } from '#kernel/import/notation.ts'
import { notationOf } from '#kernel/import/table-fields.ts'
import { departmentsManagedBy, usersEmployedIn } from '#workspace/employees/public.ts'
import { type Assignee, eligibleAmong } from '../assignment.ts'
import { Matcher, NAME_TAKEN, namedByOthers, takesName, targetOf } from './duplicates.ts'
import { chunkAt, findImport, type Import, mappingOf, refuseStarted, saveImport } from './imports.ts'
import { type ValidRow, validateRows } from './rows.ts'
import type { ChooseOptions, FieldName, ImportPreview, MapImport, Mapping } from './schema.ts'

/** Fields that only a user who may assign leads can import. */
const ASSIGNING: FieldName[] = ['assigned_to', 'commission_rate']

/** PUT /leads/imports/{uuid} (LEAD-62). 422 on `mapping.<field>` for a header that the file lacks, and for a missing name. */
export async function mapImport(ctx: Ctx, one: Import, { mapping: sent, ...notation }: z.output<typeof MapImport>) {
  refuseStarted(one)
  const mapping = Object.fromEntries(Object.entries(sent).filter(([, header]) => header)) as Mapping
  const strange = Object.entries(mapping).filter(([, header]) => !one.headers.includes(header))
  if (strange.length)
    throw invalid(Object.fromEntries(strange.map(([field]) => [`mapping.${field}`, 'Must be one of the file’s column headers.'])))
  if (!mapping.name && !mapping.first_name && !mapping.last_name)
    throw invalid({ 'mapping.name': 'Is required, or first_name or last_name.' })
  if (ASSIGNING.some((field) => mapping[field])) ctx.require('leads.assign')
  assertDistinctSigns({ ...notationOf(one), ...notation })
  await saveImport(ctx, one, { mapping: JSON.stringify(mapping), status: 'mapped', ...notation })
}

/** PUT /leads/imports/{uuid}/options (LEAD-64, LEAD-65). */
export async function chooseOptions(ctx: Ctx, one: Import, sent: z.output<typeof ChooseOptions>) {
  refuseStarted(one)
  const { unique_fields, ...modes } = sent
  const changes = { ...modes, ...(unique_fields ? { unique_fields: [...new Set(unique_fields)] } : {}) }
  await refuseUnpermitted(ctx, { ...one, ...changes })
  await saveImport(ctx, one, changes)
}

/**
 * 403 where the actor lacks a permission that the options need. Checked when they are chosen, at the start of a run, and in each
 * batch.
 */
export async function refuseUnpermitted(ctx: Ctx, { duplicate_mode, assignment_mode }: Import) {
  ctx.require('leads.import')
  if (duplicate_mode === 'update') ctx.require('leads.update')
  if (assignment_mode === 'none') return
  ctx.require('leads.assign')
  if (!(await managed(ctx)).length) throw forbidden('Equal distribution is for managers of an active department.')
}

const managed = async (ctx: Ctx) =>
  ctx.actor.id !== null && ctx.entitled('employees') ? departmentsManagedBy(ctx, ctx.actor.id) : []

/** Returns the users that leads are distributed to (LEAD-66): eligible employees of departments that the actor manages. */
export async function membersFor(ctx: Ctx, { assignment_mode }: Import): Promise<(Assignee & { id: number })[]> {
  if (assignment_mode === 'none') return []
  const users = await usersEmployedIn(ctx, await managed(ctx))
  return users.length ? eligibleAmong(ctx, users) : []
}

const MAX_ERRORS = 20
const MAX_SAMPLES = 20

type Sample = z.output<typeof ImportPreview>['sample_records'][number]

/**
 * Returns the mapped fields of a row as its lead would store them. Names of other records and fields without a column remain as
 * in the file.
 */
function storedValues({ draft, input, note, assignee, texts }: ValidRow, mapping: Mapping): Record<string, unknown> {
  const values: Record<string, unknown> = { ...texts, ...draft.values, ...(note === undefined ? {} : { note }) }
  values.lead_value = input.lead_value ?? null
  values.assigned_to = assignee ? texts.assigned_to : null
  return Object.fromEntries(Object.keys(mapping).map((field) => [field, values[field] ?? null]))
}

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
  const named = new Map<string, number>()
  let next = 0 // placeholder ids: only rows that would become a lead
  const counts = { total_rows: one.total_rows, valid_rows: 0, invalid_rows: 0, duplicate_rows: 0 }
  const sample_errors: z.output<typeof ImportPreview>['sample_errors'] = []
  const sample_records: Sample[] = []
  for (let n = 0; ; n++) {
    const examined = await steps.read(async (ctx) => {
      const rows = await chunkAt(ctx, one.id, n)
      if (!rows) return undefined
      const both = await validateRows(ctx, one, rows)
      await matcher.learn(ctx, both.sound)
      for (const [name, id] of await namedByOthers(ctx, both.sound)) named.getOrInsert(name, id)
      return both
    })
    if (!examined) break
    const { sound, wrong } = examined
    const misnamed: typeof wrong = []
    const became: Sample[] = []
    for (const row of sound) {
      const { lead } = matcher.match(row)
      const target = targetOf(lead, one.duplicate_mode, --next)
      if (target !== undefined && !takesName(row, named, target)) {
        misnamed.push({ row: row.row, errors: NAME_TAKEN })
        continue
      }
      if (lead !== undefined) counts.duplicate_rows++
      const action = target === undefined ? 'skipped' : target === lead ? 'updated' : 'created'
      became.push({ row: row.row.n, action, values: action === 'skipped' ? {} : storedValues(row, mappingOf(one)) })
      if (target === next) matcher.add(row, next)
    }
    counts.valid_rows += sound.length - misnamed.length
    counts.invalid_rows += wrong.length + misnamed.length
    const refused = [...wrong, ...misnamed].sort((a, b) => a.row.n - b.row.n)
    const shown = refused.slice(0, MAX_ERRORS - sample_errors.length)
    if (n === 0) {
      const skipped = refused.map(({ row }): Sample => ({ row: row.n, action: 'skipped', values: {} }))
      sample_records.push(...[...became, ...skipped].sort((a, b) => a.row - b.row).slice(0, MAX_SAMPLES))
    }
    sample_errors.push(...shown.map(({ row, errors }) => ({ row: row.n, errors })))
  }
  if (counts.valid_rows + counts.invalid_rows < counts.total_rows) throw invalid({ status: 'The import has been run meanwhile.' })
  return { ...counts, sample_errors, sample_records }
}
