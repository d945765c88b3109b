/** Parses rows of a file and validates them by the rules of POST /leads, for the preview and the import. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { type FieldErrors, HttpError } from '#kernel/errors.ts'
import { unguarded } from '#kernel/export/columns.ts'
import { cellError } from '#kernel/import/cell-errors.ts'
import { isoDay, type Notation, PLAIN, plainNumber } from '#kernel/import/notation.ts'
import type { FileRow } from '#kernel/import/table.ts'
import { notationOf } from '#kernel/import/table-fields.ts'
import { optionalText, percentage } from '#kernel/values/fields.ts'
import { type Assignee, assigneeOfNew, eligibleAmong } from '../assignment.ts'
import { type Draft, draftOf, type ImportContext, readImportContext } from '../saving.ts'
import { CreateLead } from '../schema.ts'
import { type Import, mappingOf } from './imports.ts'
import type { FieldName, Mapping } from './schema.ts'

/** Non-empty cells by field. */
type ParsedRow = Partial<Record<FieldName, string>>

interface ReadCells {
  said: ParsedRow
  /** Fields whose cell is stored as a number. */
  numeric: Set<FieldName>
  /** Formula errors by field. */
  errors: FieldErrors
}

/** Returns a parser of rows for the mapping. */
function rowParser(headers: string[], mapping: Mapping): (row: FileRow) => ReadCells {
  const columns = Object.entries(mapping).map(([field, header]) => [field as FieldName, headers.indexOf(header)] as const)
  return ({ n, cells, numeric = [] }) => {
    const read: ReadCells = { said: {}, numeric: new Set(), errors: {} }
    for (const [field, column] of columns) {
      const cell = cells[column]?.trim()
      const error = cellError(cell, column, n)
      if (error) read.errors[field] = [error]
      else if (cell) read.said[field] = unguarded(cell)
      if (numeric.includes(column)) read.numeric.add(field)
    }
    return read
  }
}

/** Returns the request body for a row, and errors of cells that refer to records. Empty cells are omitted. */
function inputOf({ said, numeric, errors: unread }: ReadCells, { stages, tags }: ImportContext, texts: Notation) {
  const errors: FieldErrors = { ...unread }
  const valueField = said.lead_value === undefined ? 'estimated_value' : 'lead_value'
  const value = said[valueField]
  const number = (field: FieldName, text: string) => numberOf(text, numeric.has(field) ? PLAIN : texts)
  const stage = said.stage && called(said.stage, stages)
  if (said.stage && !stage) errors.stage = ['There is no such stage in this workspace.']
  const named = said.tags?.split(',').flatMap((name) => name.trim() || [])
  const chosen = named?.map((name) => called(name, tags))
  if (chosen?.includes(undefined)) errors.tags = [`There is no tag ${named![chosen.indexOf(undefined)]} in this workspace.`]
  const input = {
    name:
      said.name ?? (said.first_name || said.last_name ? [said.first_name, said.last_name].filter(Boolean).join(' ') : undefined),
    lead_type: word(said.lead_type),
    email: said.email,
    phone: said.phone,
    company: said.company,
    job_title: said.job_title,
    source: said.source,
    lead_value: value === undefined ? undefined : number(valueField, value),
    priority: word(said.priority),
    status: word(said.status),
    stage_id: stage ? stage.id : undefined,
    tag_ids: chosen?.flatMap((tag) => tag?.id ?? []),
    follow_up: followUp(said, texts.day_order),
    note: said.note,
    external_id: said.external_id,
    commission_rate:
      said.commission_rate === undefined ? undefined : number('commission_rate', said.commission_rate.replace(/\s?%$/, '')),
  }
  const given = Object.entries(input).filter(([, one]) => one !== undefined)
  return { input: Object.fromEntries(given), errors }
}

/** Finds an entry by exact name, or else the first that matches case-insensitively. */
const called = <T extends { name: string }>(text: string, all: T[]): T | undefined =>
  all.find(({ name }) => name === text) ?? all.find(({ name }) => name.toLowerCase() === text.toLowerCase())

/** Normalises an enum value: `On hold` to `on_hold`. */
const word = (text: string | undefined) => text?.toLowerCase().replace(/[\s-]+/g, '_')

/**
 * Parses a number in the file's notation; other text remains for the schema to reject. Without a group sign, the other sign
 * groups digits.
 */
function numberOf(text: string, notation: Notation) {
  const group_sign = notation.group_sign ?? (notation.decimal_sign === '.' ? ',' : '.')
  const plain = plainNumber(text, { ...notation, group_sign })
  return plain !== undefined && /^-?\d{1,20}(\.\d{1,20})?$/.test(plain) ? Number(plain) : text
}

const followUp = ({ follow_up_title: title, follow_up_due_at: due }: ParsedRow, order: Notation['day_order']) =>
  title || due ? { title: title ?? 'Follow up', due_at: due === undefined ? undefined : moment(due, order) } : undefined

/** Parses a date and time; a date alone means 9:00. XLSX stores days since 1899-12-30, with the time as a fraction. */
function moment(text: string, order: Notation['day_order']) {
  if (/^\d{5}(\.\d+)?$/.test(text))
    return new Date(Math.round((Number(text) - 25_569) * 86_400) * 1000).toISOString().slice(0, 16)
  const day = isoDay(text, order)
  return /^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T09:00` : day.replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T')
}

/**
 * Returns eligible users, and the importer, by lower-case reference: id, email address, or a unique name, as exports write it.
 */
async function namedAssignees(ctx: Ctx, written: string[]): Promise<Map<string, Assignee>> {
  const found = new Map<string, Assignee>()
  const names = [...new Set(written.map((name) => name.toLowerCase()))]
  if (!names.length) return found
  const ids = names.filter((name) => /^\d{1,15}$/.test(name)).map(Number)
  const { rows } = await sql<{ id: number; email: string; name: string }>`
    select id, lower(email) as email, lower(name) as name from users
    where tenant_id = ${ctx.tenant.id} and deleted_at is null and not is_service
      and (email = any(${names}::text[]) or lower(name) = any(${names}::text[]) or id = any(${ids}::bigint[]))`.execute(ctx.tx)
  if (!rows.length) return found
  const eligible = await eligibleAmong(
    ctx,
    rows.map(({ id }) => id),
  )
  const own = rows.some(({ id }) => id === ctx.actor.id) ? [await assigneeOfNew(ctx, undefined)] : []
  const users = new Map([...eligible, ...own].map((user) => [user.id, user]))
  const named = rows.filter(({ id }) => users.has(id))
  for (const [name, same] of Map.groupBy(named, ({ name }) => name))
    if (same.length === 1) found.set(name, users.get(same[0]!.id)!)
  for (const { id, email } of named) for (const written of [email, String(id)]) found.set(written, users.get(id)!)
  return found
}

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
  /** Values of its cells only: the body of an update to an existing lead. */
  input: Record<string, unknown>
  /** Assignee that the row names; undefined: the importer, or a user by distribution. */
  assignee: Assignee | undefined
  commission_rate: string | undefined
  note: string | undefined
  /** Its cells by field. */
  texts: ParsedRow
}

/** An invalid row, with errors by field. */
interface Wrong {
  row: FileRow
  errors: FieldErrors
}

/** Returns valid and invalid rows, each in the order of the file. */
export async function validateRows(ctx: Ctx, one: Import, rows: FileRow[]): Promise<{ sound: ValidRow[]; wrong: Wrong[] }> {
  const say = rowParser(one.headers, mappingOf(one))
  const read = rows.map(say)
  const notation = notationOf(one)
  const named = ctx.can('leads.assign') ? read.flatMap(({ said }) => said.assigned_to ?? []) : []
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
      : judge(ctx, { ground, own, assignees, notation }, row, read[n]!)
    if ('errors' in judged) wrong.push(judged)
    else sound.push(judged)
  }
  return { sound, wrong }
}

interface Known {
  ground: ImportContext
  own: Assignee
  assignees: Map<string, Assignee>
  notation: Notation
}

function judge(ctx: Ctx, { ground, own, assignees, notation }: Known, row: FileRow, read: ReadCells): ValidRow | Wrong {
  const { said } = read
  const { input, errors } = inputOf(read, ground, notation)
  const mayAssign = ctx.can('leads.assign')
  const assignee = mayAssign && said.assigned_to ? assignees.get(said.assigned_to.toLowerCase()) : undefined
  if (mayAssign && said.assigned_to && !assignee)
    errors.assigned_to = ['Must be the e-mail address, the id, or a name that nobody else has, of a user who may be given leads.']
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
      texts: said,
    }
  } catch (error) {
    if (!(error instanceof HttpError && error.errors)) throw error
    const told = Object.entries(error.errors).map(([field, messages]) => [fieldOf(field.split('.')), messages])
    return { row, errors: Object.fromEntries(told) }
  }
}

/** Returns the import field for a path in the request body. */
function fieldOf([field, part]: PropertyKey[]): string {
  if (field === 'follow_up') return part === 'due_at' ? 'follow_up_due_at' : 'follow_up_title'
  return { stage_id: 'stage', tag_ids: 'tags', estimated_value: 'lead_value' }[String(field)] ?? String(field)
}

/** Returns a draft with one more tag. */
export const taggedWith = (draft: Draft, tagId: number): Draft => ({ ...draft, tag_ids: [...new Set([...draft.tag_ids, tagId])] })

/** Returns a draft with another assignee. */
export function givenTo(draft: Draft, { id, commission_rate }: Assignee): Draft {
  const values = { ...draft.values, assigned_to: id, commission_rate }
  return { ...draft, values, follow_ups: draft.follow_ups.map((one) => ({ ...one, assigned_to: id })) }
}
