/**
 * The screens of an API, from what its routes declare: each list is one, with what the routes below its path do. No module is named here: one
 * that is added has its screens by itself.
 */
import { z } from 'zod'
import { wordsOf } from '#kernel/http/operation-descriptions.ts'
import { singularOf, stepsOf } from '#kernel/http/operation-names.ts'
import type { Route } from '#kernel/http/route.ts'
import { basePaths, type Module, type Modules } from '#kernel/modules/module.ts'
import { listingOf } from '#kernel/records/listing.ts'
import { machineOf } from '#kernel/records/machine.ts'
import { definitionOf } from '#kernel/values/schema-definition.ts'
import { capital, humanised, plural, singular, spoken, withArticle } from '#kernel/values/words.ts'
import { adjust, lastOf } from './adjust.ts'
import { filterFields, formFields, type ScreenOf, shapeOf, shownFields } from './fields.ts'
import type { Action, Chart, Download, Field, Form, Part, Screen } from './screen.ts'

/** A route with its path below the API's address: `/fleet/:id`. */
interface At {
  module: Module
  route: Route
  path: string
}

/** What is known of a kind of record before any screen is made. */
interface Kinds {
  screenOf: ScreenOf
  titleOf(resource: string): string | undefined
  /** What somebody must hold to see more than what is theirs. */
  seesAll(resource: string): string | null
}

type Schema = z.core.$ZodType
const rowsOf = ({ spec }: Route): Schema | undefined =>
  spec.page ?? (spec.reply && definitionOf(spec.reply).type === 'array' ? definitionOf(spec.reply).element : undefined)
const isList = ({ route, path }: At) => route.method === 'GET' && !path.includes(':') && rowsOf(route) !== undefined

const resourceOf = (schema: Schema | undefined) => schema && (z.globalRegistry.get(schema)?.['x-resource'] as string | undefined)
const titleFieldOf = (schema: Schema | undefined) =>
  schema && (z.globalRegistry.get(schema)?.['x-title-field'] as string | undefined)

const keyOf = (path: string) => path.slice(1).replaceAll('/', '-')
const braced = (path: string) => path.replace(/:(\w+)/g, '{$1}')
const allowed = ({ spec }: Route): string[] => {
  const allow = [spec.allow].flat() as string[]
  return allow.includes('signed-in') || allow.includes('anybody') ? [] : allow
}

/** The screens of one of the two APIs, in the order of its routes. */
export async function screensOf(modules: Modules, surface: 'workspace' | 'platform'): Promise<Screen[]> {
  const base = basePaths[surface]
  const all = (await modules.routes())
    .filter(({ module, path }) => module.surface === surface && path.startsWith(`${base}/`))
    .map(({ path, ...rest }): At => ({ ...rest, path: path.slice(base.length) }))
  const isBelow = (path: string) => (at: At) => at.path.startsWith(`${path}/:`)
  const lists = all.filter((at) => isList(at) && !isOwn(at) && (at.route.spec.page !== undefined || all.some(isBelow(at.path))))

  const byResource = new Map<string, string>()
  const titles = new Map<string, string>()
  // Of several lists of one kind, that which is called like it: accounts of programs are users too.
  const likeness = ({ route, path }: At) =>
    Number(resourceOf(rowsOf(route))!.endsWith(singular(lastOf(path).replaceAll('-', '_'))))
  for (const list of lists.filter(({ route }) => resourceOf(rowsOf(route))).toSorted((a, b) => likeness(b) - likeness(a))) {
    const row = rowsOf(list.route)
    byResource.getOrInsert(resourceOf(row)!, keyOf(list.path))
    titles.set(resourceOf(row)!, titleFieldOf(row)!)
  }
  for (const [type, { of }] of modules.subjects) {
    titles.getOrInsert(type, of.title)
    const screen = byResource.get(singular(of.table))
    if (screen) byResource.getOrInsert(type, screen)
  }
  // What no resource keeps is known by its path.
  for (const { path } of lists.filter(({ route, path }) => !resourceOf(rowsOf(route)) && all.some(isBelow(path))))
    byResource.getOrInsert(singular(keyOf(path).replaceAll('-', '_')), keyOf(path))
  const seers = new Map<string, string | undefined>()
  if (surface === 'workspace') for (const { of } of modules.subjects.values()) seers.set(singular(of.table), of.assignPermission)
  const kinds: Kinds = {
    screenOf: (resource) => byResource.get(resource) ?? null,
    titleOf: (resource) => titles.get(resource),
    seesAll: (resource) => seers.get(resource) ?? null,
  }
  const paths = new Set(lists.map(({ path }) => path))
  const screens = lists.map((list) => screenOf(list, all, paths, kinds))
  for (const module of modules.all.filter((one) => one.surface === surface))
    for (const [key, choice] of Object.entries((await module.screen?.())?.default.choices ?? {})) {
      const screen = screens.find((one) => one.key === key && one.module === module.key)
      if (!screen) throw new Error(`${module.key}/screen.ts: it has no screen ${key}`)
      adjust(screen, choice)
    }
  for (const screen of screens) {
    screen.related = relatedTo(screen, screens)
    for (const form of [screen.create, screen.edit]) if (form) form.fields = form.fields.map((field) => filling(field, screens))
  }
  return screens.map(asPeopleSay)
}

/** What the API calls a tenant is a workspace to people. */
export const toPeople = (words: string) =>
  words.replace(/\btenant(s?)\b/gi, (said, many: string) => `${said.startsWith('T') ? 'Workspace' : 'workspace'}${many}`)

const READ_BY_PEOPLE = new Set(['label', 'title', 'noun', 'hint', 'description', 'says'])
function asPeopleSay<T>(told: T): T {
  if (typeof told !== 'object' || !told) return told
  if (Array.isArray(told)) return told.map(asPeopleSay) as T
  const pairs = Object.entries(told).map(([name, value]) => [
    name,
    typeof value === 'string' ? (READ_BY_PEOPLE.has(name) ? toPeople(value) : value) : asPeopleSay(value),
  ])
  return Object.fromEntries(pairs) as T
}

const FIGURES = new Set<Field['kind']>(['money', 'percentage', 'number'])

/**
 * Lines with a record to choose that is priced as they are, such as a product: it fills their figures of the same name, and its title what the
 * line is called.
 */
function filling(lines: Field, screens: Screen[]): Field {
  if (lines.kind !== 'lines' || !lines.fields) return lines
  const called = lines.fields.find(({ is_required, kind }) => is_required && (kind === 'text' || kind === 'long_text'))
  const fields = lines.fields.map((field): Field => {
    const target = field.kind === 'reference' && screens.find(({ key }) => key === field.refers_to?.screen)
    if (!target) return field
    const figures = new Set(target.list.columns.filter(({ kind }) => FIGURES.has(kind)).map(({ name }) => name))
    const same = lines.fields!.filter(({ name, kind }) => FIGURES.has(kind) && figures.has(name)).map(({ name }) => [name, name])
    if (!same.length) return field
    return {
      ...field,
      fills: Object.fromEntries([...(called && target.title_field ? [[called.name, target.title_field]] : []), ...same]),
    }
  })
  return { ...lines, fields }
}

/** Lists that can be kept to the records that name one of a screen's, each by the first of its filters that does. Users, whom nearly every list names, have none. */
function relatedTo({ key, record }: Screen, screens: Screen[]): Screen['related'] {
  if (!record || key === 'users') return []
  const names = (field: Field) => field.kind.startsWith('reference') && field.refers_to?.screen === key
  return screens.flatMap((screen) => {
    const filter = screen.list.filters.find(names)?.name
    if (!filter || screen.key === key) return []
    const asked = (screen.create?.fields ?? []).flatMap((field) =>
      field.kind === 'lines' ? (field.fields ?? []).map((one) => ({ ...one, name: `${field.name}.${one.name}` })) : [field],
    )
    const fitting = asked.filter(names)
    const field = fitting.find(({ name }) => name === filter) ?? fitting[0]
    const takes = screen.begins && screen.begins.from === field?.name ? Object.values(screen.begins.fields) : []
    return [{ screen: screen.key, filter, field: field?.name ?? null, takes: [...new Set(takes)] }]
  })
}

/** What belongs to one's own account has screens of its own. */
const isOwn = ({ path }: At) => path === '/me' || path.startsWith('/me/')

function screenOf(list: At, all: At[], paths: Set<string>, kinds: Kinds): Screen {
  const { module, route, path } = list
  const row = rowsOf(route)!
  const of = (method: string, more: string) =>
    all.find(
      (at) =>
        at.route.method === method && at.path.startsWith(path) && at.path.slice(path.length).replace(/^\/:\w+/, '/:') === more,
    )
  const show = of('GET', '/:')
  const detail = show?.route.spec.reply
  const edit = of('PUT', '/:') ?? of('PATCH', '/:')
  const below = all.filter((at) => at.path.startsWith(`${path}/`) && !belongsElsewhere(at.path, path, paths))
  const ofOne = below.filter((at) => at.path.startsWith(`${path}/:`))
  const resource = resourceOf(detail) ?? resourceOf(row) ?? null
  const isTheirs = resource !== null && kinds.screenOf(resource) === keyOf(path)
  const noun = isTheirs ? spoken(resource.split('_')) : nounOf(path)
  const hasTrash = of('POST', '/:/restore') !== undefined
  const fields = shownFields(row, kinds.screenOf, kinds.titleOf)
  const create = of('POST', '')
  const drawnAs = (made: Form | null, preview: At | undefined) =>
    made && preview && isPreview(preview) ? { ...made, preview: braced(preview.path) } : made
  const form = (at: At | undefined) => (at ? formOf(at, kinds) : null)
  const createForm = form(create)
  const longTexts = new Set((createForm?.fields ?? []).filter(({ kind }) => kind === 'long_text').map(({ name }) => name))
  const spelled = (shown: Field[]) =>
    shown.map((field) => (field.kind === 'text' && longTexts.has(field.name) ? { ...field, kind: 'long_text' as const } : field))
  const title_field = titleFieldOf(detail) ?? titleFieldOf(row) ?? null
  const keyParam = ofOne[0]?.path.slice(path.length + 2).split('/')[0]
  const names = new Set(Object.keys(shapeOf(row) ?? {}))
  const states = machineOf({ noun, item: { shape: shapeOf(row) ?? {} } })
  const listed = new Set(ofOne.filter(({ route }) => route.method === 'GET').map((at) => at.path))
  const actions = ofOne.filter((at) => isAction(at, path, listed)).map((at) => actionOf(at, noun, hasTrash, kinds))
  const stats = of('GET', '/stats')
  const exported = of('GET', '/export')
  const asList = listOf(route, spelled(fields), title_field, kinds)
  const board = boardOf(of('GET', '/board'), actions, kinds)
  const asked = [...(createForm?.fields ?? []), ...(form(edit)?.fields ?? [])].map(({ name }) => name)
  const { dates, isCalendar } = datesOf(asList, asked)

  return {
    key: keyOf(path),
    module: module.key,
    path,
    title: path === `/${module.key}` ? module.title : capital(isTheirs ? plural(noun) : titleOf(path)),
    noun,
    icon: null,
    resource,
    key_field: keyParam && names.has(keyParam) ? keyParam : 'id',
    title_field:
      title_field && names.has(title_field)
        ? title_field
        : (['name', 'title', 'number', 'subject', 'file_name'].find((name) => names.has(name)) ?? null),
    allow: allowed(route),
    list: { ...asList, columns: asList.columns.map(usually(asList.columns)) },
    board,
    dates,
    layouts: ['list', ...(board ? ['board' as const] : []), ...(isCalendar ? ['calendar' as const] : [])],
    sees_all: isTheirs ? kinds.seesAll(resource) : null,
    groups: [],
    begins: null,
    begun: null,
    drawn: {},
    lifecycle: states
      ? {
          field: 'status',
          initial: states.initial,
          moves: Object.entries(states.moves).flatMap(([name, { from, to, follows, title, says }]) =>
            follows
              ? []
              : [{ name, from: [...from], to, ...(title ? { label: title } : {}), ...(says ? { description: says } : {}) }],
          ),
        }
      : null,
    record:
      show && detail
        ? {
            path: braced(show.path),
            allow: allowed(show.route),
            fields: spelled(shownFields(detail, kinds.screenOf, kinds.titleOf)),
          }
        : null,
    create: drawnAs(createForm, of('POST', '/preview')),
    edit: drawnAs(form(edit), of('POST', '/:/preview')),
    remove: form(of('DELETE', '/:')),
    restore: form(of('POST', '/:/restore')),
    purge: form(of('DELETE', '/:/force')),
    actions,
    list_actions: below
      .filter(
        (at) =>
          !at.path.includes(':') && at.route.method !== 'GET' && !isPreview(at) && !/\/(bulk(-[a-z-]+)?|external)$/.test(at.path),
      )
      .map((at) => actionOf(at, noun, hasTrash, kinds)),
    downloads: ofOne
      .filter(
        ({ route, path: at }) => route.spec.file !== undefined && route.spec.file !== 'text/html' && at.split(':').length === 2,
      )
      .map(downloadOf),
    parts: partsOf(ofOne, path, kinds),
    related: [],
    stats: stats ? stats.path : null,
    chart: chartOf(of('GET', '/series'), asList.columns),
    export: exported ? downloadOf(exported) : null,
    imports: paths.has(`${path}/imports`) ? keyOf(`${path}/imports`) : null,
    bulk: form(of('POST', '/bulk')),
    notes: form(of('POST', '/:/notes')),
    timeline: pathOf(of('GET', '/:/timeline')),
    record_actions: pathOf(of('GET', '/:/actions')),
  }
}

/** What a list's path says that it shows: `/leads/imports` has lead imports. */
function titleOf(path: string) {
  const [last, before] = path.slice(1).split('/').reverse()
  return spoken([...(before ? singular(before).split('-') : []), ...last!.split('-')])
}
const nounOf = (path: string) => singular(titleOf(path))

const pathOf = (at: At | undefined) => (at ? braced(at.path) : null)

/** Whether a path below a list is that of a list within it, which has a screen of its own. */
const belongsElsewhere = (path: string, list: string, lists: Set<string>) =>
  [...lists].some((other) => other.startsWith(`${list}/`) && (path === other || path.startsWith(`${other}/`)))

/** What stands behind a record in a path: `/send` of `/fleet/:id/send`. */
function behindKey(path: string, list: string) {
  const end = path.indexOf('/', list.length + 1)
  return end < 0 ? '' : path.slice(end)
}

/** Whether it draws what a form would make, which is seen beside the form: it answers pages. */
const isPreview = ({ route }: At) =>
  route.spec.reply !== undefined && z.globalRegistry.get(route.spec.reply)?.id === 'DocumentPreview'
const OF_EVERY_RECORD = /^\/(restore|force|notes|timeline|actions)?$/

/** A write that is about one record and nothing below it, beyond what every record has. What adds to a list that can be read is that list's. */
function isAction(at: At, list: string, listed: Set<string>) {
  const { route, path } = at
  const rest = behindKey(path, list)
  return (
    !isPreview(at) &&
    route.method !== 'GET' &&
    rest !== '' &&
    !rest.includes(':') &&
    !OF_EVERY_RECORD.test(rest) &&
    !(route.method === 'POST' && route.spec.status === 201 && rest.endsWith('s') && listed.has(path))
  )
}

function formOf({ route, path }: At, { screenOf }: Kinds): Form {
  const { body, upload } = route.spec
  return {
    method: route.method as Form['method'],
    path: braced(path),
    allow: allowed(route),
    fields: formFields(body, upload, screenOf),
    ...(upload ? { is_multipart: true } : {}),
  }
}

/** A title without the record that it is about, which the screen shows: "Send a purchase order" is "Send". */
function shortened(title: string, path: string, noun: string) {
  const owners = stepsOf(braced(path)).filter(({ one }) => one)
  const nouns = [noun, noun.split(' ').at(-1)!, nounOf(path.split('/:')[0]!), ...owners.map(singularOf)]
  const said = nouns.map((one) => spoken(one.split(' ')))
  const phrases = said.flatMap((one) => [
    ...['', 'of ', 'on ', 'to '].map((before) => ` ${before}${withArticle(one)}`),
    ` the ${one}`,
  ])
  const spaced = `${title} `
  const phrase = [...phrases, ' my'].toSorted((a, b) => b.length - a.length).find((one) => spaced.includes(`${one} `))
  if (!phrase) return title
  const [before = '', behind = ''] = spaced.split(`${phrase} `, 2)
  return (behind.startsWith('of ') ? before : `${before} ${behind}`).trim()
}

const DANGER = /(^|\/)(void|cancel|force|disconnect|deactivate|stop|revoke|suspend|archive|erase|expire)$/

function actionOf(at: At, noun: string, hasTrash: boolean, kinds: Kinds): Action {
  const { route, path } = at
  const { operationId, summary, description } = wordsOf(route, braced(path), hasTrash)
  const form = formOf(at, kinds)
  const made = kinds.screenOf(resourceOf(route.spec.reply) ?? '')
  return {
    key: operationId,
    label: shortened(summary, path, noun),
    title: summary,
    ...(description ? { description } : {}),
    ...form,
    ...(form.fields.some(({ name }) => name === 'reason') ? { asks_reason: true } : {}),
    ...(made && made !== keyOf(path.split('/:')[0]!) && path.includes(':') ? { makes: made } : {}),
    ...(route.method === 'DELETE' || DANGER.test(path) ? { is_danger: true } : {}),
  }
}

const downloadOf = ({ route, path }: At): Download => ({
  label: humanised(lastOf(path).replaceAll('-', '_')),
  path: braced(path),
  types: [route.spec.file].flat() as string[],
  allow: allowed(route),
})

const fileOf = (found: At | undefined) => (found?.route.spec.file === undefined ? null : downloadOf(found))

/** Lists below a record, with what can be done to their rows. */
function partsOf(ofOne: At[], list: string, kinds: Kinds): Part[] {
  const isOfRecord = ({ route, path }: At) =>
    route.method === 'GET' &&
    rowsOf(route) !== undefined &&
    path.split(':').length === 2 &&
    !/\/(notes|timeline|actions)$/.test(path)
  return ofOne.filter(isOfRecord).map((at) => {
    const find = (method: string, more: RegExp) =>
      ofOne.find(
        ({ route, path }) => route.method === method && path.startsWith(at.path) && more.test(path.slice(at.path.length)),
      )
    const form = (found: At | undefined) => (found ? formOf(found, kinds) : null)
    const row = rowsOf(at.route)!
    const key = at.path
      .slice(list.length)
      .replace(/^\/:\w+\//, '')
      .replaceAll('/', '-')
    return {
      key,
      title: humanised(key.replaceAll('-', '_')),
      noun: spoken(singular(key).split('-')),
      path: braced(at.path),
      allow: allowed(at.route),
      list: listOf(at.route, shownFields(row, kinds.screenOf, kinds.titleOf), titleFieldOf(row) ?? null, kinds),
      create: form(find('POST', /^$/)),
      edit: form(find('PUT', /^\/:\w+$/)),
      remove: form(find('DELETE', /^\/:\w+$/)),
      actions: ofOne
        .filter(
          ({ route, path }) =>
            route.method !== 'GET' && path.startsWith(`${at.path}/:`) && /^\/:\w+\/./.test(path.slice(at.path.length)),
        )
        .map((one) => actionOf(one, nounOf(at.path.replace(/:\w+\//, '')), false, kinds)),
      download: fileOf(find('GET', /^\/:\w+$/)),
    }
  })
}

/** How many columns a list shows before anybody has chosen. */
const COLUMNS_SHOWN = 7
const NEVER_SHOWN = new Set(['lines', 'json', 'object', 'html', 'long_text', 'list', 'secret', 'uuid', 'references'])
const LAST = new Set(['created_at', 'updated_at', 'deleted_at', 'external_id', 'id', 'uuid'])

/** What a list shows: what people know a record by and its state first, its times last. */
function listOf(route: Route, fields: Field[], titleField: string | null, { screenOf }: Kinds): Screen['list'] {
  const { query } = route.spec
  const asked = shapeOf(query) ?? {}
  const rank = ({ name }: Field) =>
    name === 'number' ? 0 : name === titleField ? 1 : name === 'status' ? 2 : LAST.has(name) ? 4 : 3
  const ordered = fields.toSorted((a, b) => rank(a) - rank(b))
  let shown = 0
  const columns = ordered.map((field) => {
    const isShown = !NEVER_SHOWN.has(field.kind) && !LAST.has(field.name) && shown++ < COLUMNS_SHOWN
    return isShown ? field : { ...field, is_hidden: true as const }
  })
  const sorts = asked.sort ? Object.values(enumOf(asked.sort)) : []
  const order = query && listingOf(query)?.order({ page: 1, per_page: 1 })
  return {
    columns,
    filters: filterFields(query, screenOf),
    sorts,
    order: null,
    default_sort: order?.by[0] ? { by: order.by[0], direction: order.direction } : null,
    is_paged: 'per_page' in asked,
    is_searchable: 'search' in asked,
    has_trash: 'trashed' in asked,
  }
}

/**
 * Which columns a list of records shows before anybody has chosen: of money what it comes to, which says its currency, and the records that people
 * know a row by, the customer or vendor and whose it is.
 */
function usually(columns: Field[]) {
  const sums = columns.filter(({ kind }) => kind === 'money')
  const sum = sums.find(({ name }) => name === 'total') ?? sums[0]
  const others = columns.filter(
    ({ kind, refers_to, name }) =>
      kind === 'reference' && refers_to?.embed && name !== 'creator' && !/source|converted/.test(name),
  )
  const isFixed = (column: Field) => column === sum || others.slice(0, 2).includes(column)
  const fits = (column: Field) => !column.is_hidden && column.kind !== 'money' && !(column.kind === 'currency' && sum)
  const fixed = columns.filter(isFixed)
  const rest = columns.filter((column) => !isFixed(column) && fits(column))
  const shown = new Set([...fixed, ...rest.slice(0, COLUMNS_SHOWN - fixed.length)])
  return ({ is_hidden: _, ...column }: Field, n: number): Field =>
    shown.has(columns[n]!) ? column : { ...column, is_hidden: true }
}

/** Of instants that nobody enters, those that lie ahead. */
const AHEAD = /(^|_)(next|due|expected|scheduled|expires|starts|ends)(_|$)/

/**
 * The days and instants of a record that a list can be kept to a range of: days, then instants that people enter or that lie ahead, then
 * those at which something was recorded. By the last alone a month says nothing.
 */
function datesOf({ columns, filters }: Screen['list'], entered: string[]) {
  const rankOf = ({ name, kind }: Field) =>
    kind === 'date' ? 0 : entered.includes(name) || AHEAD.test(name) ? 1 : name === 'created_at' ? 3 : 2
  const all = columns
    .filter(
      ({ name, kind }) =>
        (kind === 'date' || kind === 'instant') &&
        ['from', 'to'].every((end) => filters.some((one) => one.name === `${name}_${end}`)),
    )
    .toSorted((a, b) => rankOf(a) - rankOf(b))
  return { dates: all.map(({ name }) => name), isCalendar: all.some((field) => rankOf(field) < 2) }
}

function enumOf(schema: Schema): Record<string, string> {
  const { innerType, entries } = definitionOf(schema) as { innerType?: Schema; entries?: Record<string, string> }
  return entries ?? (innerType ? enumOf(innerType) : {})
}

/** What a list over time can be asked, as its query has it. What it is told apart by are words of its columns. */
function chartOf(at: At | undefined, columns: Field[]): Chart | null {
  const asked = shapeOf(at?.route.spec.query)
  if (!at || !asked?.by || !asked.of || !asked.unit) return null
  const field = (name: string) => columns.find((one) => one.name === name)
  const words = (schema: Schema | undefined) => (schema ? Object.values(enumOf(schema)) : [])
  const option = (value: string) => ({ value, label: field(value)?.label ?? humanised(value) })
  return {
    path: at.path,
    by: words(asked.by).map(option),
    of: words(asked.of).map((value) =>
      value === 'count'
        ? { value, label: 'How many', kind: 'number' }
        : { ...option(value), kind: field(value)?.kind ?? 'number' },
    ),
    unit: initialOf(asked.unit) as Chart['unit'],
    splits: words(asked.split).map((value) => ({ ...option(value), options: field(value)?.options ?? [] })),
    split: null,
  }
}

/** What counts where nothing is sent. */
function initialOf(schema: Schema): unknown {
  const { innerType, defaultValue } = definitionOf(schema) as { innerType?: Schema; defaultValue?: unknown }
  return defaultValue ?? (innerType ? initialOf(innerType) : undefined)
}

const SUMS = new Set(['money', 'number', 'quantity'])
/** A board's columns: which field holds the records, which says what the column is, and what moves a record to another one. */
function boardOf(at: At | undefined, actions: Action[], { screenOf, titleOf }: Kinds): Screen['board'] {
  const shape = shapeOf(at && rowsOf(at.route))
  if (!at || !shape) return null
  const names = Object.keys(shape)
  const rows = names.find((name) => definitionOf(shape[name]!).type === 'array')
  const column = names[0]!
  const count = names.find((name) => /(^|_)count$/.test(name)) ?? null
  const move = actions.find(({ path }) => path.endsWith(`/${column}`))
  if (!rows) return null
  const by = move?.fields[0]?.name ?? column
  return {
    path: at.path,
    by,
    rows,
    column,
    count,
    sums: shownFields(rowsOf(at.route)!, screenOf, titleOf).filter(({ name, kind }) => name !== count && SUMS.has(kind)),
    card: null,
    move: move ? { method: move.method, path: move.path, allow: move.allow, fields: move.fields } : null,
  }
}
