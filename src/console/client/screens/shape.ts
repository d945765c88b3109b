/** What `GET /console` tells of the screens of an API, as src/console/screens describes it with its schemas. Absent is what isn't so. */
import { boot } from '../boot.ts'

export type Row = Record<string, any>

export interface Option {
  value: string
  label: string
}
export interface Field {
  name: string
  label: string
  kind: string
  hint?: string
  is_hidden?: true
  is_required?: true
  is_nullable?: true
  default?: unknown
  options?: Option[]
  refers_to?: { resource: string; screen: string | null; embed?: string; title_field?: string }
  also?: string[]
  currency_field?: string
  decimals?: number
  min?: number
  max?: number
  max_length?: number
  accepts?: string[]
  max_bytes?: number
  fields?: Field[]
}
export interface Form {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  allow: string[]
  fields: Field[]
  is_multipart?: true
}
export interface Action extends Form {
  key: string
  label: string
  title: string
  description?: string
  asks_reason?: true
  is_danger?: true
}
export interface Download {
  label: string
  path: string
  types: string[]
  allow: string[]
}
export interface List {
  columns: Field[]
  filters: Field[]
  sorts: string[]
  default_sort: { by: string; direction: 'asc' | 'desc' } | null
  is_paged: boolean
  is_searchable: boolean
  has_trash: boolean
}
export interface Part {
  key: string
  title: string
  path: string
  allow: string[]
  list: List
  create: Form | null
  edit: Form | null
  remove: Form | null
  actions: Action[]
}
export interface Screen {
  key: string
  module: string
  path: string
  title: string
  noun: string
  resource: string | null
  key_field: string
  title_field: string | null
  allow: string[]
  list: List
  board: { path: string; by: string; rows: string; column: string; count: string | null; move: Form | null } | null
  lifecycle: { field: string; initial: string; moves: { name: string; from: string[]; to: string }[] } | null
  record: { path: string; allow: string[]; fields: Field[] } | null
  create: Form | null
  edit: Form | null
  remove: Form | null
  restore: Form | null
  purge: Form | null
  actions: Action[]
  list_actions: Action[]
  downloads: Download[]
  parts: Part[]
  stats: string | null
  export: Download | null
  bulk: Form | null
  notes: Form | null
  timeline: string | null
  record_actions: string | null
}

interface Told {
  screens?: Screen[]
  permissions?: string[]
}
const told = (boot.console ?? {}) as Told
const mine = new Set(told.permissions ?? boot.me?.permissions)

/** Whether any of the permissions is held; none is asked for where the list is empty. */
export const may = (allow: string[]) => !allow.length || allow.some((one) => mine.has(one))

/** The screens that whoever looks may open. */
export const screens = (told.screens ?? []).filter(({ allow }) => may(allow))
const byKey = new Map(screens.map((screen) => [screen.key, screen]))
export const screenOf = (key: string | null | undefined) => (key ? byKey.get(key) : undefined)

const root = boot.realm?.path ?? ''
export const listAddress = (screen: Screen) => `${root}/${screen.key}`
export const recordAddress = (screen: Screen, key: unknown) => `${root}/${screen.key}/${encodeURIComponent(String(key))}`

export const titleOf = (screen: Pick<Screen, 'title_field' | 'key_field' | 'noun'>, row: Row): string =>
  String(
    (screen.title_field && row[screen.title_field]) ||
      row.name ||
      row.title ||
      row.number ||
      `${screen.noun} ${row[screen.key_field] ?? ''}`,
  )
