/** What `GET /console` tells of the screens of an API, as src/console/screens describes it with its schemas. Absent is what isn't so. */
import { call } from '../api.ts'
import { boot } from '../boot.ts'
import { translated } from '../texts/labels.ts'

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
  choices?: { path: string; field: string; about: string | null }
  refers_to?: { resource: string; screen: string | null; embed?: string; title_field?: string }
  /** Of a flag: the record that is made in the same go. */
  makes?: { resource: string; screen: string | null }
  /** Fields beside it that begin with what the chosen record says. */
  fills?: Record<string, string>
  shown_as?: string
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
  /** Where pages of what it would make are drawn. */
  preview?: string
}
export interface Action extends Form {
  key: string
  label: string
  title: string
  description?: string
  asks_reason?: true
  makes?: string
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
  order: { by: string; direction: 'asc' | 'desc' } | null
  is_paged: boolean
  is_searchable: boolean
  has_trash: boolean
}
export interface Part {
  key: string
  title: string
  noun: string
  path: string
  allow: string[]
  list: List
  create: Form | null
  edit: Form | null
  remove: Form | null
  actions: Action[]
  download: Download | null
}
export type Layout = 'list' | 'board' | 'calendar'
export interface Group {
  title: string
  fields: string[]
  is_folded?: true
}
export interface SeriesChart {
  path: string
  by: Option[]
  of: (Option & { kind: string })[]
  unit: 'day' | 'week' | 'month'
  splits: (Option & { options: Option[] })[]
  split: string | null
  is_ahead?: true
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
  board: {
    path: string
    by: string
    rows: string
    column: string
    count: string | null
    sums: Field[]
    card: string[] | null
    move: Form | null
  } | null
  dates: string[]
  layouts: Layout[]
  /** Who lacks it sees only the records that are theirs. */
  sees_all: string | null
  groups: Group[]
  begins: { from: string; fields: Record<string, string> } | null
  /** Where its records begin, in place of a form. */
  begun: { says: string; import_of: string | null; allow: string[] } | null
  /** Places that a module draws itself, by each the file in its folder `screen`. */
  drawn: Record<string, string>
  lifecycle: {
    field: string
    initial: string
    moves: { name: string; label?: string; from: string[]; to: string; description?: string }[]
  } | null
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
  related: { screen: string; filter: string; field: string | null; takes: string[] }[]
  stats: string | null
  chart: SeriesChart | null
  export: Download | null
  imports: string | null
  bulk: Form | null
  notes: Form | null
  timeline: string | null
  record_actions: string | null
}

interface Together {
  title: string
  fields: Field[]
}
/** Fields as a screen puts them together: those at once, those that no group names, and those that stand folded behind them. */
export function inGroups(fields: Field[], groups: Group[]): { together: Together[]; others: Field[]; folded: Together[] } {
  const byName = new Map(fields.map((field) => [field.name, field]))
  const made = groups
    .map(({ fields: names, ...group }) => ({ ...group, fields: names.flatMap((name) => byName.get(name) ?? []) }))
    .filter((group) => group.fields.length)
  const named = new Set(made.flatMap((group) => group.fields))
  return {
    together: made.filter(({ is_folded }) => !is_folded),
    others: fields.filter((field) => !named.has(field)),
    folded: made.filter(({ is_folded }) => is_folded),
  }
}

/** Whether records come in from files: where a request makes one without any. */
export const importable = ({ bulk, create, imports }: Screen) =>
  create !== null &&
  may(create.allow) &&
  !create.is_multipart &&
  (imports ? summaryOf(imports) : bulk && summaryOf('imports')) !== undefined

/** What `GET /console` tells of each screen; `screenFor` gives it whole. */
export interface Summary {
  key: string
  module: string
  path: string
  title: string
  noun: string
  resource: string | null
  key_field: string
  title_field: string | null
  icon: string | null
  layouts: Layout[]
  may_create: boolean
  is_searchable: boolean
  has_record: boolean
  has_board: boolean
  list_actions: { key: string; label: string }[]
}

/** A place of a module beside its lists. */
export interface Page {
  key: string
  module: string
  title: string
  icon: string | null
  is_beside?: true
  drawn: string
}

interface Told {
  screens?: Summary[]
  pages?: Page[]
  permissions?: string[]
  modules?: { key: string; title: string; category: string | null; screens: string[] }[]
  user?: { impersonated_by: string | null }
  unread_notifications?: number | null
}
export const told = translated((boot.console ?? {}) as Told)
const mine = new Set(told.permissions ?? boot.me?.permissions)

/** The permissions that are missing, of which any one would do; none where it is allowed. */
export const lacking = (allow: string[]) => (!allow.length || allow.some((one) => mine.has(one)) ? [] : allow)
export const may = (allow: string[]) => !lacking(allow).length

/** Whether whoever looks may see the settings of the workspace. */
export const hasSettings = boot.me?.workspace !== undefined && mine.has('settings.view')
/** The screens that whoever looks may open. */
export const screens = told.screens ?? []
const byKey = new Map(screens.map((screen) => [screen.key, screen]))
export const summaryOf = (key: string | null | undefined) => (key ? byKey.get(key) : undefined)

export const pages = told.pages ?? []
export const pageOf = (key: string) => pages.find((page) => page.key === key)

const whole = new Map<string, Screen>()
if (boot.screen) keepScreen(boot.screen as Screen)
const asked = new Map<string, Promise<Screen>>()

function keepScreen(given: Screen): Screen {
  const screen = translated(given)
  whole.set(screen.key, screen)
  return screen
}

/** A screen with all that it shows and takes, where it came with the page or was asked for before: it can be drawn at once. */
export const knownScreen = (key: string): Screen | undefined => whole.get(key)

/** A screen with all that it shows and takes. Asked for once. */
export async function screenFor(key: string): Promise<Screen> {
  const known = whole.get(key)
  if (known) return known
  const found =
    asked.get(key) ??
    call('get', `/console/screens/${encodeURIComponent(key)}`)
      .then(({ data }) => keepScreen(data as Screen))
      .finally(() => asked.delete(key))
  asked.set(key, found)
  return found
}

const root = boot.realm?.path ?? ''
export const pageAddress = ({ key }: Page) => `${root}/${key}`
export const listAddress = ({ key }: { key: string }) => `${root}/${key}`
export const layoutAddress = ({ key }: { key: string }, layout: Layout) =>
  `${root}/${key}${layout === 'list' ? '' : `/${layout}`}`
/** Where links to a screen lead: to the layout that its module puts first. */
export const startAddress = (screen: Pick<Screen, 'key' | 'layouts'>) => layoutAddress(screen, screen.layouts[0] ?? 'list')
export const recordAddress = ({ key: screen }: { key: string }, key: unknown) =>
  `${root}/${screen}/${encodeURIComponent(String(key))}`
/** Of a file, which the browser fetches by itself. */
export const fileAddress = (path: string) => root + (boot.realm?.api ?? '') + path

/** How `call` is told what a form is sent by. */
export const methodOf = ({ method }: Pick<Form, 'method'>) => method.toLowerCase() as Lowercase<Form['method']>

/** A path of the API with a record's key, and a part's, in place of its parameters. */
export function filled(path: string, ...keys: unknown[]): string {
  let n = 0
  return path.replace(/\{\w+\}/g, () => encodeURIComponent(String(keys[n++])))
}

export const titleOf = ({ title_field, key_field, noun }: Pick<Screen, 'title_field' | 'key_field' | 'noun'>, row: Row): string =>
  String((title_field && row[title_field]) || row.name || row.title || row.number || `${noun} ${row[key_field] ?? ''}`)
