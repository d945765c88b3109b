/** Judging the rows of a file by the rules of POST /leads, for a preview as for the import itself. */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { type FieldErrors, HttpError } from '#kernel/errors.ts'
import { optionalText, percentage } from '#kernel/values/fields.ts'
import { type Assignee, assigneeOfNew } from '../assignment/eligible.ts'
import { type Draft, draftOf, type ImportContext, readImportContext } from '../creation/drafting.ts'
import { CreateLead } from '../schema.ts'
import { namedAssignees } from './assignees.ts'
import { type Import, mappingOf } from './imports.ts'
import { inputOf, type ParsedRow, rowParser } from './parse-row.ts'
import type { FileRow } from './reading/limits.ts'

/** A note has at most 5000 characters (LEAD-63). */
const ImportedLead = CreateLead.omit({ assigned_to: true, estimated_value: true }).extend({
  note: z.string().max(5000, 'Must be at most 5000 characters.').optional(),
  external_id: optionalText(255),
  commission_rate: percentage().optional(),
})

/** A row that can be imported. */
export interface ValidRow {
  row: FileRow
  draft: Draft
  /** What its cells say, and nothing else: the body of a change of a lead that is there. */
  input: Record<string, unknown>
  /** Whom it names; the importer otherwise, or somebody by distribution. */
  assignee: Assignee | undefined
  commission_rate: string | undefined
  note: string | undefined
}

/** A row that can't, with what is wrong by field. */
export interface Wrong {
  row: FileRow
  errors: FieldErrors
}

/** Both, each in the order of the file. */
export async function validateRows(ctx: Ctx, one: Import, rows: FileRow[]): Promise<{ sound: ValidRow[]; wrong: Wrong[] }> {
  const say = rowParser(one.headers, mappingOf(one))
  const said = rows.map(say)
  const named = ctx.can('leads.assign') ? said.flatMap(({ assigned_to }) => assigned_to ?? []) : []
  const [ground, own, assignees] = await allPipelined(
    readImportContext(ctx),
    assigneeOfNew(ctx, undefined),
    namedAssignees(ctx, named),
  )
  const sound: ValidRow[] = []
  const wrong: Wrong[] = []
  for (const [n, row] of rows.entries()) {
    const isWider = row.cells.slice(one.headers.length).some((cell) => cell.trim())
    const judged = isWider
      ? { row, errors: { row: ['Has more cells than the header.'] } }
      : judge(ctx, { ground, own, assignees }, row, said[n]!)
    if ('errors' in judged) wrong.push(judged)
    else sound.push(judged)
  }
  return { sound, wrong }
}

interface Known {
  ground: ImportContext
  own: Assignee
  assignees: Map<string, Assignee>
}

function judge(ctx: Ctx, { ground, own, assignees }: Known, row: FileRow, said: ParsedRow): ValidRow | Wrong {
  const { input, errors } = inputOf(said, ground)
  const mayAssign = ctx.can('leads.assign')
  const assignee = mayAssign && said.assigned_to ? assignees.get(said.assigned_to.toLowerCase()) : undefined
  if (mayAssign && said.assigned_to && !assignee)
    errors.assigned_to = ['Must be the e-mail address or id of a user who may be given leads.']
  const parsed = ImportedLead.safeParse({ lead_type: 'direct', ...input })
  if (!parsed.success) for (const { path, message } of parsed.error.issues) (errors[fieldOf(path)] ??= []).push(message)
  if (!parsed.success || Object.keys(errors).length) return { row, errors }
  const { note, external_id = null, commission_rate, ...lead } = parsed.data
  try {
    const draft = draftOf(ctx, ground, lead, assignee ?? own)
    return {
      row,
      draft: { ...draft, values: { ...draft.values, external_id } },
      input,
      assignee,
      commission_rate: mayAssign ? commission_rate : undefined,
      note,
    }
  } catch (error) {
    if (!(error instanceof HttpError && error.errors)) throw error
    const told = Object.entries(error.errors).map(([field, messages]) => [fieldOf(field.split('.')), messages])
    return { row, errors: Object.fromEntries(told) }
  }
}

/** The field of the file that a field of a body stands for. */
function fieldOf([field, part]: PropertyKey[]): string {
  if (field === 'follow_up') return part === 'due_at' ? 'follow_up_due_at' : 'follow_up_title'
  return { stage_id: 'stage', tag_ids: 'tags', estimated_value: 'lead_value' }[String(field)] ?? String(field)
}

/** A draft with one more tag. */
export const taggedWith = (draft: Draft, tagId: number): Draft => ({ ...draft, tag_ids: [...new Set([...draft.tag_ids, tagId])] })

/** A draft that is given to somebody else. */
export function givenTo(draft: Draft, { id, commission_rate }: Assignee): Draft {
  const values = { ...draft.values, assigned_to: id, commission_rate }
  return { ...draft, values, follow_ups: draft.follow_ups.map((one) => ({ ...one, assigned_to: id })) }
}
