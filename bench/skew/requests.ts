/**
 * All requests to list, count or show something in a workspace, derived from the OpenAPI document. They cover each list with each
 * of its sorts and filters, searches with few and with many matches, deep pages, boards, stats, and each record. New modules are
 * included automatically.
 */

/** `widgets`: the dashboard. `other`: neither a list nor derived from one. */
export type Kind = 'list' | 'sort' | 'filter' | 'few' | 'many' | 'deep' | 'stats' | 'board' | 'show' | 'widgets' | 'other'

export interface Asked {
  kind: Kind
  /** Name, the same for all workspaces: `/invoices?contact_id=…`, `/leads/{id}/notes`. */
  name: string
  /** Path and query for this workspace, relative to the API's base path. */
  path: string
}

/** GET of a path relative to the API's base path. */
export type Get = (path: string) => Promise<{ status: number; body: any }>

export interface Requests {
  asked: Asked[]
  /** Requests left out because the workspace has no value for them: `/payments?invoice_id`. */
  left: string[]
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: {
    type?: string
    minLength?: number
    enum?: string[]
    format?: string
    anyOf?: { const?: string }[]
    'x-refers-to'?: string
  }
}

type Row = Record<string, any>

interface List {
  rows: Row[]
  total: number
}

const PER_PAGE = 25
const DEEP = 4000
const NOT_FILTERS = new Set(['sort', 'direction', 'page', 'per_page', 'per_column', 'format', 'size', 'search', 'q'])

/**
 * Returns the requests. `least`: lists with at most this number of rows are cheap in any order, so their sorts and filters are
 * left out. `wanted`: filter of paths. `now`: end of time ranges.
 */
export async function requestsOf(
  document: any,
  get: Get,
  { least, now, wanted = () => true }: { least: number; now: string; wanted?: (path: string) => boolean },
): Promise<Requests> {
  const asked: Asked[] = []
  const left: string[] = []
  const lists = new Map<string, List>()
  const read = async (path: string): Promise<List | undefined> => {
    const { status, body } = await get(path)
    return status === 200 && Array.isArray(body?.data) && body.meta ? { rows: body.data, total: body.meta.total } : undefined
  }
  const waiting = Object.entries<any>(document.paths)
    .flatMap(([path, { get: operation, servers }]) => {
      const isJson = operation?.responses['200']?.content?.['application/json']
      if (!isJson || servers || !operation.security?.length) return []
      return [{ path, parameters: ((operation.parameters ?? []) as Parameter[]).filter((one) => one.in === 'query') }]
    })
    .sort((a, b) => depth(a.path) - depth(b.path))

  /** Adds the requests of one path. Returns false while the list with its record is unknown. */
  async function ask(template: string, parameters: Parameter[]): Promise<boolean> {
    const path = await filledIn(template, lists, read)
    if (path === undefined) return false
    const term = parameters.find(({ name }) => name === 'search' || name === 'q')
    const isSearch = term !== undefined && template.endsWith('/search')
    const needed = parameters
      .filter((one) => one.required || (isSearch && one === term))
      .map((one) => `${one.name}=${one === term ? common(one) : firstOf(valuesFor(one, [], lists, now))}&`)
      .join('')
    const add = (kind: Kind, query = '', shown = query) =>
      asked.push({
        kind,
        name: template + (shown && `?${shown}`),
        path: `${path}?${query.startsWith(`${term?.name}=`) ? '' : needed}${query}`.replace(/[?&]$/, ''),
      })
    const isList = parameters.some(({ name }) => name === 'page')
    const list = isList ? (lists.get(template) ?? (await read(`${path}?${needed}per_page=100`))) : undefined
    if (list) lists.set(template, list)
    const parent = lists.get(template.slice(0, template.lastIndexOf('/')))
    if (!wanted(template)) return true
    const kind = kindOf(template, { list, parent })
    if ((kind === 'other' || kind === 'show') && (await get(`${path}?${needed}`)).status !== 200) {
      left.push(template) // requires what the workspace hasn't set up
      return true
    }
    if (!isSearch) add(kind)
    const source = list ?? (kind === 'stats' || kind === 'board' ? parent : undefined)
    if (!source || source.total <= least) return true
    for (const parameter of isSearch ? [] : parameters) {
      if (parameter.required || NOT_FILTERS.has(parameter.name)) continue
      const { given, found } = valuesFor(parameter, source.rows, lists, now)
      if (!given.length && !found) left.push(`${template}?${parameter.name}`)
      for (const value of given) add('filter', `${parameter.name}=${value}`)
      if (found) add('filter', `${parameter.name}=${encodeURIComponent(found)}`, `${parameter.name}=…`)
    }
    if (!list) return true
    const sorts = parameters.find(({ name }) => name === 'sort' && !isSearch)
    for (const by of sorts?.schema.enum ?? [])
      for (const direction of ['asc', 'desc']) add('sort', `sort=${by}&direction=${direction}`)
    if (!isSearch) add('deep', `page=${Math.min(DEEP, Math.ceil(list.total / PER_PAGE))}`, 'page=…')
    if (!term) return true
    const terms = await termsFor(list, async (value) => {
      return (await read(`${path}?${term.name}=${encodeURIComponent(value)}&per_page=1`))?.total ?? 0
    })
    for (const [kind, shown, value] of [
      ['few', '(few)', terms.few],
      ['many', '(many)', terms.many],
      ['many', '(one letter)', 'e'],
    ] as const) {
      if (value) add(kind, `${term.name}=${encodeURIComponent(value)}`, `${term.name}=${shown}`)
      else left.push(`${template}?${term.name}=${shown}`)
    }
    return true
  }

  // Values of filters must be known before the requests are built.
  for (const { path, parameters } of waiting)
    if (!path.includes('{') && parameters.some(({ name }) => name === 'page')) {
      const list = await read(`${path}?per_page=100`)
      if (list) lists.set(path, list)
    }
  for (let before = Number.POSITIVE_INFINITY; waiting.length < before; ) {
    before = waiting.length
    for (const one of waiting.splice(0)) if (!(await ask(one.path, one.parameters))) waiting.push(one)
  }
  left.push(...waiting.map(({ path }) => path))
  return { asked, left }
}

/** Returns a short term that many texts contain. */
const common = ({ schema }: Parameter) => ((schema.minLength ?? 0) > 1 ? 'ing' : 'a')

function kindOf(template: string, { list, parent }: { list?: List; parent?: List }): Kind {
  if (list) return 'list'
  if (template === '/dashboard') return 'widgets'
  if (!parent) return 'other'
  return template.endsWith('/stats') ? 'stats' : template.endsWith('/board') ? 'board' : template.endsWith('}') ? 'show' : 'other'
}

const depth = (path: string) => path.split('{').length * 100 + path.split('/').length + (/\/(stats|board)$/.test(path) ? 1000 : 0)

/** Returns the path with a record's id; for folders and the like, of the one with the most rows. Undefined if there is none. */
async function filledIn(template: string, lists: Map<string, List>, read: (path: string) => Promise<List | undefined>) {
  const [, before, param, after] = /^([^{]*)\{(\w+)\}(.*)$/.exec(template) ?? []
  if (!param) return template
  if (after?.includes('{')) return undefined
  const collection = before!.slice(0, -1)
  const all =
    [...lists].find(([path]) => path === collection) ??
    [...lists].find(([path]) => path.endsWith(`/${collection.split('/').at(-1)}`))
  const paths = (all?.[1].rows ?? []).map((row) => `${before}${row[param] ?? row.id}${after}`)
  if (!after || paths.length > 10) return paths[0]
  let most: { path?: string; total: number } = { path: paths[0], total: -1 }
  for (const path of paths) {
    const total = (await read(path))?.total ?? -1
    if (total > most.total) most = { path, total }
  }
  return most.path
}

const firstOf = ({ given, found }: { given: string[]; found?: string }) => found ?? given[0]

/**
 * Returns values of a filter: all that the document names; for a reference or a text, the most frequent one in the shown rows.
 */
function valuesFor(
  { name, schema }: Parameter,
  rows: Row[],
  lists: Map<string, List>,
  now: string,
): { given: string[]; found?: string } {
  if (schema.enum) return { given: schema.enum }
  if (schema.type === 'boolean') return { given: ['true', 'false'] }
  const given = (schema.anyOf ?? []).flatMap((one) => one.const ?? [])
  const single = name.replace(/_ids?$/, '')
  const own = rows.flatMap((row) => row[name] ?? row[single]?.id ?? [])
  const isReference = single !== name || schema['x-refers-to']
  const [, others] = [...lists].find(([path]) => isReference && path.endsWith(`${single.replace(/y$/, 'ie')}s`)) ?? []
  const counted = Map.groupBy(
    own.length ? own.map(String) : (others?.rows ?? []).flatMap(({ id }) => String(id)),
    (value) => value,
  )
  const [common] = [...counted].sort(([, a], [, b]) => b.length - a.length)
  if (common) return { given, found: common[0] }
  const [first, last] =
    schema.format === 'date-time'
      ? ['2000-01-01T00:00:00Z', now]
      : schema.format === 'date'
        ? ['2000-01-01', now.slice(0, 10)]
        : ['1', '1000000']
  if (/_from$|_min$/.test(name)) return { given, found: first }
  if (/_to$|_max$/.test(name)) return { given, found: last }
  return { given }
}

/** Returns a term that few of the list's rows match, and one that most do. */
async function termsFor(
  { rows, total }: List,
  count: (term: string) => Promise<number>,
): Promise<{ few?: string; many?: string }> {
  const isText = (value: unknown): value is string =>
    typeof value === 'string' && value.length > 3 && !/^\d{4}-\d\d|T\d\d:|^[\da-f-]{36}$/.test(value)
  /** Texts of the row and of the records it references. */
  const texts = (row: Row) =>
    Object.values(row)
      .flatMap((value) => (value && typeof value === 'object' ? Object.values(value) : [value]))
      .filter(isText)
  const counted = new Map<string, number>()
  const row = rows.at(-1) ?? {}
  for (const term of texts(row).slice(0, 5)) counted.set(term.slice(0, 100), await count(term.slice(0, 100)))
  const few = [...counted].filter(([, n]) => n > 0 && n * 20 < total).sort(([, a], [, b]) => a - b)[0]
  const starts = Map.groupBy(
    rows.flatMap((one) => [
      ...new Set(texts(one).flatMap((text) => [text.slice(0, 3), text.slice(-3)].map((part) => part.toLowerCase()))),
    ]),
    (start) => start,
  )
  const frequent = [...starts].sort(([, a], [, b]) => b.length - a.length).slice(0, 5)
  for (const [start] of frequent) counted.set(start, await count(start))
  const many = [...counted].filter(([, n]) => n * 4 > total).sort(([, a], [, b]) => b - a)[0]
  return { few: few?.[0], many: many?.[0] }
}
