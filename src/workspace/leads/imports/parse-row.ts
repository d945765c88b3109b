/** What a row of a file says of a lead: its cells as the values that POST /leads takes. */
import type { FieldErrors } from '#kernel/errors.ts'
import { unguarded } from '#kernel/export/columns.ts'
import type { ImportContext } from '../creation/drafting.ts'
import type { FieldName, Mapping } from './fields.ts'
import type { FileRow } from './reading/limits.ts'

/** Its cells that aren't empty, by field. */
export type ParsedRow = Partial<Record<FieldName, string>>

/** Reads the cells of a row by the mapping. */
export function rowParser(headers: string[], mapping: Mapping): (row: FileRow) => ParsedRow {
  const columns = Object.entries(mapping).map(([field, header]) => [field as FieldName, headers.indexOf(header)] as const)
  return ({ cells }) => {
    const said: ParsedRow = {}
    for (const [field, column] of columns) {
      const cell = cells[column]?.trim()
      if (cell) said[field] = unguarded(cell)
    }
    return said
  }
}

/** The fields of a body, and what is wrong with cells that name something. Empty cells say nothing. */
export function inputOf(said: ParsedRow, { stages, tags }: ImportContext) {
  const errors: FieldErrors = {}
  const value = said.lead_value ?? said.estimated_value
  const stage = said.stage && stages.find(({ name }) => isSame(name, said.stage!))
  if (said.stage && !stage) errors.stage = ['There is no such stage in this workspace.']
  const named = said.tags?.split(',').flatMap((name) => name.trim() || [])
  const chosen = named?.map((name) => tags.find((tag) => isSame(tag.name, name)))
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
    lead_value: value === undefined ? undefined : number(value),
    priority: word(said.priority),
    status: word(said.status),
    stage_id: stage ? stage.id : undefined,
    tag_ids: chosen?.flatMap((tag) => tag?.id ?? []),
    follow_up: followUp(said),
    note: said.note,
    external_id: said.external_id,
    commission_rate: said.commission_rate === undefined ? undefined : number(said.commission_rate.replace(/%$/, '')),
  }
  const given = Object.entries(input).filter(([, one]) => one !== undefined)
  return { input: Object.fromEntries(given), errors }
}

const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** `On hold` is `on_hold`. */
const word = (text: string | undefined) => text?.toLowerCase().replace(/[\s-]+/g, '_')

/** `1,234.50` and `1234.5` are numbers; anything else is left for the schema to refuse. */
function number(text: string) {
  const digits = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text
  return /^-?\d{1,20}(\.\d{1,20})?$/.test(digits) ? Number(digits) : text
}

const followUp = ({ follow_up_title: title, follow_up_due_at: due }: ParsedRow) =>
  title || due ? { title: title ?? 'Follow up', due_at: due === undefined ? undefined : moment(due) } : undefined

/** A day means nine in the morning. XLSX has days since 1899-12-30, the time as a fraction. */
function moment(text: string) {
  if (/^\d{5}(\.\d+)?$/.test(text))
    return new Date(Math.round((Number(text) - 25_569) * 86_400) * 1000).toISOString().slice(0, 16)
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T09:00` : text.replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T')
}
