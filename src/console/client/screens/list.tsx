/** The list of a screen: a table, cards on a phone. Filters, order and page stand in the address. */
import { signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { at, go } from '../addresses.ts'
import { call } from '../api.ts'
import { Answered } from '../parts/answered.tsx'
import { Icon } from '../parts/icon.tsx'
import { lazyPart } from '../parts/lazy.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { Paging } from '../parts/paging.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { tell } from '../parts/toasts.tsx'
import { explained, inside, needs, permissionNamed } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'
import { ActionDialog, type Asked } from './actions.tsx'
import { BulkBar, BulkReport, nonePicked, type Picked } from './bulk.tsx'
import { changed, useAnswer } from './data.ts'
import { dayOf, rangeOf, spans, todayOf } from './days.ts'
import { ReferenceInput } from './inputs.tsx'
import { Layouts } from './layouts.tsx'
import { NewLink, newPlace } from './new-link.tsx'
import { hasDeeds, RowDeeds } from './row-deeds.tsx'
import {
  type Field,
  fileAddress,
  filled,
  importable,
  listAddress,
  may,
  type Row,
  recordAddress,
  type Screen,
  titleOf,
} from './shape.ts'
import { counted, isDue, isNumeric, locale, Value } from './values.tsx'
import { Views } from './views.tsx'

const Charted = lazyPart(
  async () => (await import('./charted.tsx')).ListChart,
  <div class="charted charted-waits" aria-hidden="true" />,
)

const Long = lazyPart(
  async () => (await import('./long.tsx')).LongList,
  <p class="quiet" aria-busy="true">
    {t('loading')}
  </p>,
)

const PER_PAGE = '50'
/** How many rows a page may have: 100 is the most that the API answers at once. */
const SIZES = [25, Number(PER_PAGE), 100]
/** How many a list reads on to, where that is asked for in the place of pages. */
export const LONG = 1000
const AT_ONCE = 100
export const PAGES_OF_LONG = LONG / AT_ONCE
const isLong = () => Number(at.value.searchParams.get('per_page')) > AT_ONCE
const phone = matchMedia('(max-width: 767px)')
export const isNarrow = signal(phone.matches)
phone.addEventListener('change', () => (isNarrow.value = phone.matches))

/** What the address says of the list, as the API's query has it. `readsOn`: over several pages of the API, where a thousand rows are asked for. */
export function queryOf({ list }: Screen, readsOn = false): Record<string, string> {
  const asked = Object.fromEntries(at.value.searchParams)
  const known = new Set(['search', 'sort', 'direction', 'page', 'per_page', 'trashed', ...list.filters.map(({ name }) => name)])
  const query = Object.fromEntries(Object.entries(asked).filter(([name]) => known.has(name)))
  const sorted: Record<string, string> = list.order && !query.sort ? { sort: list.order.by, direction: list.order.direction } : {}
  if (!list.is_paged) return query
  return {
    per_page: PER_PAGE,
    ...sorted,
    ...query,
    ...(isLong() ? (readsOn ? longPage(query.page) : { per_page: PER_PAGE }) : {}),
  }
}

/** With which page of the API a page of a thousand begins. */
const longPage = (page: string | undefined) => ({
  per_page: String(AT_ONCE),
  page: String((Math.max(1, Math.floor(Number(page)) || 1) - 1) * PAGES_OF_LONG + 1),
})

/** What of a list’s query says which rows there are. */
const filtersOf = ({ page: _, per_page: __, sort: ___, direction: ____, ...filters }: Record<string, string>) => filters

/** Refines the list: another page is the first again, but where only its columns change. */
export function refine(changes: Record<string, string | undefined>, { replace = false } = {}) {
  const url = new URL(at.value)
  if (!('page' in changes || 'columns' in changes)) url.searchParams.delete('page')
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  go(url.href, { replace })
}

const columnsKey = (screen: Screen) => `atrium.columns.${screen.key}`
function keptColumns(screen: Screen): string[] | undefined {
  try {
    return JSON.parse(localStorage.getItem(columnsKey(screen)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** The columns that the address names. */
function askedColumns({ list }: Screen): string[] | undefined {
  const asked = at.value.searchParams.get('columns')?.split(',') ?? []
  const known = list.columns.filter(({ name }) => asked.includes(name)).map(({ name }) => name)
  return known.length ? known : undefined
}

/** The columns that stand there before somebody has chosen. */
const usualColumns = ({ list }: Screen) => list.columns.filter(({ is_hidden }) => !is_hidden).map(({ name }) => name)

const FORMATS = [
  ['csv', 'CSV'],
  ['xlsx', 'Excel'],
  ['ndjson', 'JSON'],
] as const
/** The list as it is filtered and sorted, all pages of it, as a file. */
function exportAddress({ export: file }: Screen, { page: _, per_page: __, ...query }: Record<string, string>, format: string) {
  return fileAddress(`${file!.path}?${new URLSearchParams({ ...query, format })}`)
}

/** Of a menu: the list as a file, for whoever may have it. */
export const ExportItems = ({ screen, query }: { screen: Screen; query: Record<string, string> }) =>
  screen.export && may(screen.export.allow) ? (
    <>
      <div class="group">{t('export')}</div>
      {FORMATS.map(([format, name]) => (
        <Item key={format} act={() => location.assign(exportAddress(screen, query, format))}>
          <Icon name="download" />
          {name}
        </Item>
      ))}
      <hr />
    </>
  ) : null

/** The first filter without which the API doesn't answer the list, and that the address doesn't set. */
const lackedBy = ({ list }: Screen, query: Record<string, string>) =>
  list.filters.find(({ is_required, name }) => is_required && !query[name])

/** Where one is made: of what the list is kept to, such as a customer, the new one begins with the same. */
function newAddress(screen: Screen, query: Record<string, string>): string {
  const names = screen.list.filters.filter(({ kind, name }) => kind === 'reference' && /^\d+$/.test(query[name] ?? ''))
  const asked = new URLSearchParams(names.map(({ name }) => [name, query[name]!]))
  return `${listAddress(screen)}/new${asked.size ? `?${asked}` : ''}`
}

export function ListScreen({ screen }: { screen: Screen }) {
  const query = queryOf(screen, true)
  const isOpen = may(screen.allow)
  const lacks = lackedBy(screen, query)
  const known = useAnswer(isOpen && !lacks ? screen.path : undefined, query)
  const { answer, isAged } = known
  const picked = useSignal(nonePicked)
  const asked = useSignal<Asked | undefined>(undefined)
  const isTrash = query.trashed === 'only'
  useEffect(() => void (picked.value = nonePicked), [JSON.stringify(query)])
  const toDo = at.value.searchParams.get('do')
  useEffect(() => {
    const action = screen.list_actions.find(({ key }) => key === toDo)
    if (action) asked.value = { action }
    if (toDo) refine({ do: undefined }, { replace: true })
  }, [toDo])

  const { columns: all } = screen.list
  const named = askedColumns(screen) ?? keptColumns(screen) ?? usualColumns(screen)
  const columns = all.filter(({ name }) => named.includes(name))
  const rows: Row[] = Array.isArray(answer?.data) ? answer.data : []
  const isFiltered = Object.keys(query).some((name) => !['per_page', 'page', 'sort', 'direction', 'trashed'].includes(name))
  const toggleColumn = (name: string) => {
    const now = columns.map((one) => one.name)
    const next = now.includes(name)
      ? now.filter((one) => one !== name)
      : all.flatMap((one) => (now.includes(one.name) || one.name === name ? one.name : []))
    if (!next.length) return
    localStorage.setItem(columnsKey(screen), JSON.stringify(next))
    refine({ columns: next.join(',') }, { replace: true })
  }
  const pick = (some: Row[], on: boolean) => {
    const next = new Map(picked.value.rows)
    for (const row of some) on ? next.set(row.id, titleOf(screen, row)) : next.delete(row.id)
    picked.value = { rows: next, all: false }
  }
  const restoreOne = async (key: string) => {
    try {
      await call('post', filled(screen.restore!.path, key), { body: {} })
    } catch (error) {
      tell((error as Error).message)
    }
    changed()
  }
  // What everybody does for themselves, such as checking in, is a button; what few may do is in the menu.
  const [own = [], others = []] = [true, false].map((isOwn) =>
    screen.list_actions.filter(({ method, allow }) => (method === 'POST' && !allow.length) === isOwn),
  )
  const isPickable = screen.bulk !== null && may(screen.bulk.allow)
  const shown = {
    ...{ screen, columns, rows, query },
    picked: picked.value,
    pick: isPickable ? pick : undefined,
    ask: !screen.record && hasDeeds(screen) ? (one: Asked) => (asked.value = one) : undefined,
    restore: isTrash && screen.restore && may(screen.restore.allow) ? (key: string) => void restoreOne(key) : undefined,
  }

  return (
    <ScreenFrame
      title={screen.title}
      tools={
        <>
          <Views screen={screen} columns={columns.map(({ name }) => name)} />
          <Layouts screen={screen} here="list" />
          <Menu name={t('columns')} kind="only-icon" label={<Icon name="columns" />}>
            {all.map((column) => (
              <Item key={column.name} isToggle checked={columns.includes(column)} act={() => toggleColumn(column.name)}>
                {column.label}
              </Item>
            ))}
          </Menu>
          <Menu name={t('more')} kind="only-icon" label={<Icon name="more" />}>
            <ExportItems screen={screen} query={query} />
            {importable(screen) && (
              <Item act={() => go(`${listAddress(screen)}/import`)}>
                <Icon name="upload" />
                {t('import')}
              </Item>
            )}
            {screen.list.has_trash && (
              <Item act={() => refine({ trashed: isTrash ? undefined : 'only' })}>{isTrash ? t('leaveTrash') : t('trash')}</Item>
            )}
            {others.map((action) => (
              <Item
                key={action.key}
                why={may(action.allow) ? undefined : needs(action.allow)}
                act={() => (asked.value = { action })}
              >
                {action.label}
              </Item>
            ))}
          </Menu>
          {own.map((action) => (
            <button key={action.key} type="button" onClick={() => (asked.value = { action })}>
              {action.label}
            </button>
          ))}
          {!isTrash && <NewLink screen={screen} to={newAddress(screen, query)} />}
        </>
      }
    >
      {isTrash && (
        <p class="chosen-bar">
          <Icon name="trash" />
          {t('trash')}
          <a href={listAddress(screen)}>{t('leaveTrash')}</a>
        </p>
      )}
      {screen.begun && <p class="quiet about-list">{explained(screen.begun.says)}</p>}
      {isOpen ? <Filters screen={screen} query={query} /> : <p class="quiet">{t('listClosed')}</p>}
      {picked.value.rows.size > 0 && (
        <BulkBar
          screen={screen}
          query={query}
          picked={picked.value}
          total={answer?.meta ? totalOf(answer.meta) : ''}
          isWhole={answer?.meta?.total === picked.value.rows.size}
          pick={(chosen) => (picked.value = chosen)}
        />
      )}
      <BulkReport screen={screen} />
      {screen.chart && isOpen && (rows.length > 0 || isFiltered) && (
        <Charted key={screen.key} screen={screen} chart={screen.chart} query={filtersOf(query)} />
      )}
      {isOpen && lacks && (
        <div class="empty" role="status">
          <h2>{t('chooseFirst', { what: inside(lacks.label) })}</h2>
          <p class="quiet">{t('chooseFirstSays')}</p>
        </div>
      )}
      {isOpen && !lacks && (
        <Answered of={known}>
          {(answer) =>
            rows.length === 0 ? (
              <Nothing screen={screen} isTrash={isTrash} isFiltered={isFiltered} />
            ) : isLong() && answer.meta?.total !== undefined ? (
              <Long {...shown} answer={answer} isAged={isAged} />
            ) : (
              <>
                <Rows {...shown} />
                <OnlyOwn screen={screen} />
                {answer.meta?.total !== undefined && <Pages meta={answer.meta} shown={rows.length} isLongest />}
              </>
            )
          }
        </Answered>
      )}
      {asked.value && (
        <ActionDialog
          asked={asked.value}
          done={(message) => {
            asked.value = undefined
            if (message) {
              tell(message)
              changed()
            }
          }}
        />
      )}
    </ScreenFrame>
  )
}

const FILTERS = new Set(['enum', 'boolean', 'reference', 'date', 'text', 'number'])
/** What must be said first, then what most ask for: states and records; words and numbers that one has to know last. */
const filterRank = ({ kind, is_required }: Field) => (is_required ? 0 : kind === 'text' || kind === 'number' ? 2 : 1)

/** `without`: filters that the screen sets itself. */
export function Filters({ screen, query, without = [] }: { screen: Screen; query: Record<string, string>; without?: string[] }) {
  const { filters, is_searchable } = screen.list
  const all = useSignal(false)
  const usable = filters
    .filter(({ kind, name }) => {
      const isTime = timeOf(screen, name) !== undefined
      return (FILTERS.has(kind) || isTime) && !without.includes(name) && !(isTime && name.endsWith('_to'))
    })
    .toSorted((a, b) => filterRank(a) - filterRank(b))
  const shown = usable.filter(
    (field, n) =>
      all.value || n < 2 || field.is_required || query[field.name] !== undefined || query[otherEnd(field.name)] !== undefined,
  )
  const isSet = usable.some(({ name }) => query[name] !== undefined) || query.search !== undefined
  return (
    <search class="filters" aria-label={t('filterBy')}>
      {is_searchable && <SearchBox key={screen.key} value={query.search ?? ''} />}
      {shown.map((field) => {
        const time = timeOf(screen, field.name)
        return time ? (
          <DaysFilter key={field.name} field={time} query={query} />
        ) : (
          <FilterInput key={field.name} field={field} value={query[field.name]} />
        )
      })}
      {usable.length > shown.length && (
        <button type="button" class="plain" onClick={() => (all.value = true)}>
          <Icon name="filter" />
          {t('filterBy')}
        </button>
      )}
      {isSet && (
        <a class="button plain" href={at.value.pathname + (query.trashed ? `?trashed=${query.trashed}` : '')}>
          {t('clearFilters')}
        </a>
      )}
    </search>
  )
}

/** The other of the two filters that keep a list to some days. */
const otherEnd = (name: string) => name.replace(/_from$/, '_to')

/** The day or instant that a filter is one end of a range of. */
const timeOf = ({ dates, list }: Screen, filter: string) =>
  list.columns.find(({ name }) => dates.includes(name) && (filter === `${name}_from` || filter === `${name}_to`))

/** A year has four digits: with its last one the browser goes on to what comes next. */
const LAST_DAY = '9999-12-31'

/** A browser tells of a day with each digit of its year: 0002, 0020, 0202. */
const whenTyped = (value: string, to: (day: string) => void) => {
  if (value === '' || /^[1-9]\d{3}-/.test(value)) to(value)
}

/** Keeps a list to a month or a year by one choice, or to days of one's own. */
function DaysFilter({ field, query }: { field: Field; query: Record<string, string> }) {
  const { name, label } = field
  const [from, to] = [dayOf(field, query[`${name}_from`]), dayOf(field, query[`${name}_to`])]
  const all = Object.entries(spans(todayOf(field)))
  const isOwn = useSignal(false)
  const span = all.find(([, [first, last]]) => first === from && last === to)?.[0]
  const chosen = isOwn.value || (!span && (from || to)) ? 'ownDays' : (span ?? '')
  const set = (first: string, last: string) => refine(rangeOf(field, first, last))
  return (
    <div class="filter">
      <label class="filter">
        <span>{label}</span>
        <select
          value={chosen}
          onChange={({ currentTarget: { value } }) => {
            isOwn.value = value === 'ownDays'
            const [first, last] = all.find(([key]) => key === value)?.[1] ?? ['', '']
            if (value !== 'ownDays') set(first, last)
          }}
        >
          <option value="">{t('any')}</option>
          {all.map(([key]) => (
            <option key={key} value={key}>
              {t(key as 'today')}
            </option>
          ))}
          <option value="ownDays">{t('ownDays')}</option>
        </select>
      </label>
      {chosen === 'ownDays' && (
        <>
          <input
            type="date"
            aria-label={`${label}, ${t('fromDay')}`}
            value={from}
            max={LAST_DAY}
            onChange={(event) => whenTyped(event.currentTarget.value, (day) => set(day, to))}
          />
          <input
            type="date"
            aria-label={`${label}, ${t('toDay')}`}
            value={to}
            max={LAST_DAY}
            onChange={(event) => whenTyped(event.currentTarget.value, (day) => set(from, day))}
          />
        </>
      )}
    </div>
  )
}

const PAUSE_MS = 200
function SearchBox({ value }: { value: string }) {
  const typed = useSignal(value)
  /** What the address says, as far as this box has brought it there: another one came by Back or a link. */
  const known = useRef(value)
  useEffect(() => {
    if (value === known.current) return
    typed.value = known.current = value
  }, [value])
  useEffect(() => {
    if (typed.value === known.current) return
    const timer = setTimeout(() => {
      const isFirst = known.current === ''
      known.current = typed.value
      refine({ search: typed.value }, { replace: !isFirst })
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed.value])
  return (
    <div class="search">
      <Icon name="search" />
      <input
        type="search"
        aria-label={t('search')}
        placeholder={t('search')}
        value={typed.value}
        onInput={(event) => (typed.value = event.currentTarget.value)}
      />
    </div>
  )
}

function FilterInput({ field, value }: { field: Field; value: string | undefined }) {
  const set = (chosen: string | undefined) => refine({ [field.name]: chosen })
  const flags = [
    { value: 'true', label: t('yes') },
    { value: 'false', label: t('no') },
  ]
  const isCode = field.kind === 'text' && field.options !== undefined
  const options = isCode
    ? field.options?.toSorted((a, b) => a.label.localeCompare(b.label, locale))
    : field.kind === 'boolean'
      ? flags
      : field.options
  if (field.kind === 'reference')
    return (
      <div class="filter">
        <ReferenceInput
          field={field}
          label={field.label}
          placeholder={field.label}
          value={value}
          choose={(key) => set(key === undefined ? undefined : String(key))}
        />
      </div>
    )
  if (field.kind === 'date')
    return (
      <label class="filter">
        <span>{field.label}</span>
        <input type="date" value={value ?? ''} max={LAST_DAY} onChange={(event) => whenTyped(event.currentTarget.value, set)} />
      </label>
    )
  if ((field.kind === 'text' && !isCode) || field.kind === 'number')
    return (
      <label class="filter">
        <span>{field.label}</span>
        <input type={field.kind as 'text'} value={value ?? ''} onChange={(event) => set(event.currentTarget.value)} />
      </label>
    )
  return (
    <label class="filter">
      <span>{field.label}</span>
      <select value={value ?? ''} onChange={(event) => set(event.currentTarget.value)}>
        <option value="">{t('any')}</option>
        {options?.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Of many rows those that are drawn, and as much room as the others would take. */
export interface Drawn {
  count: number
  draw(one: (row: Row, n: number) => VNode, gap: (key: string, height: number) => VNode): VNode[]
}

/** The head of a column that the list can be sorted by. */
export function SortHead({
  by,
  label,
  query,
  isNumeric = false,
  usual = 'asc',
}: {
  by: string
  label: string
  query: Record<string, string>
  isNumeric?: boolean
  usual?: 'asc' | 'desc'
}) {
  const isSorted = query.sort === by
  const direction = query.direction ?? 'asc'
  const to = isSorted ? (direction === 'asc' ? 'desc' : 'asc') : usual
  return (
    <th
      scope="col"
      class={isNumeric ? 'numbers' : undefined}
      aria-sort={isSorted ? (direction === 'desc' ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" onClick={() => refine({ sort: by, direction: to })}>
        {label}
        {isSorted && <Icon name={direction === 'desc' ? 'down' : 'up'} />}
      </button>
    </th>
  )
}

export interface RowsProps {
  screen: Screen
  columns: Field[]
  rows: Row[]
  query: Record<string, string>
  picked: Picked
  pick: ((rows: Row[], on: boolean) => void) | undefined
  /** Of rows without a page: what can be done with them stands behind them. */
  ask: ((asked: Asked) => void) | undefined
  restore: ((key: string) => void) | undefined
  /** Without it, all are drawn. */
  some?: Drawn | undefined
}

/** Whether a click on a row means the row: none of what stands in it, and no text that was marked. */
const opens = ({ target, ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  !(target as Element).closest('a, button, input, .picks') && !(ctrlKey || metaKey || shiftKey) && !getSelection()?.toString()

const keyOf = (screen: Screen, row: Row) => String(row[screen.key_field])

function TitleLink({ screen, row, children }: { screen: Screen; row: Row; children?: preact.ComponentChildren }) {
  return screen.record ? (
    <a class="title" href={recordAddress(screen, keyOf(screen, row))}>
      {children ?? titleOf(screen, row)}
    </a>
  ) : (
    <span class="title">{children ?? titleOf(screen, row)}</span>
  )
}

export function Rows({ screen, columns, rows, query, picked, pick, ask, restore, some }: RowsProps) {
  const linked =
    columns.find(({ name }) => name === screen.title_field) ?? columns.find(({ kind }) => kind === 'text') ?? columns[0]
  const named = new Set([linked, ...columns.filter(({ name, kind }) => kind === 'text' && /^(number|name|title)$/.test(name))])
  if (isNarrow.value) return <Cards {...{ screen, columns, rows, linked, picked, pick, ask, restore, some }} />
  const gap = (key: string, height: number) => (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: it takes no focus.
    <tr key={key} class="gap" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  )
  const one = (row: Row, n: number) => {
    const key = keyOf(screen, row)
    return (
      <tr
        key={key}
        aria-rowindex={some && n + 2}
        onClick={(event) => screen.record && opens(event) && go(recordAddress(screen, key))}
      >
        {pick && (
          <td class="picks">
            <input
              type="checkbox"
              aria-label={t('selectOne', { name: titleOf(screen, row) })}
              checked={picked.all || picked.rows.has(row.id)}
              onChange={(event) => pick([row], event.currentTarget.checked)}
            />
          </td>
        )}
        {columns.map((column) => (
          <td key={column.name} class={isNumeric(column) ? 'numbers' : undefined}>
            {named.has(column) ? (
              <TitleLink screen={screen} row={row}>
                {row[column.name] ? (
                  <Value
                    field={column.kind === 'url' || column.kind === 'email' ? { ...column, kind: 'text' } : column}
                    row={row}
                  />
                ) : undefined}
              </TitleLink>
            ) : (
              <Value field={column} row={row} />
            )}
          </td>
        ))}
        {ask && (
          <td class="deeds">
            <RowDeeds deeds={screen} row={row} name={titleOf(screen, row)} keys={[key]} ask={ask} />
          </td>
        )}
        {restore && (
          <td>
            <button type="button" onClick={() => restore(key)}>
              {t('restore')}
            </button>
          </td>
        )}
      </tr>
    )
  }
  const usual = screen.list.default_sort
  const sorted = query.sort || !usual ? query : { direction: usual.direction, ...query, sort: usual.by }
  return (
    <section class="table-wrap" aria-label={screen.title}>
      <table aria-rowcount={some && some.count + 1}>
        <thead>
          <tr aria-rowindex={some && 1}>
            {pick && (
              <th class="picks" scope="col">
                <input
                  type="checkbox"
                  aria-label={t('selectAll')}
                  checked={picked.all || rows.every(({ id }) => picked.rows.has(id))}
                  onChange={(event) => pick(rows, event.currentTarget.checked)}
                />
              </th>
            )}
            {columns.map((column) => {
              const sorts = screen.list.sorts.includes(column.name)
              return sorts ? (
                <SortHead key={column.name} by={column.name} label={column.label} query={sorted} isNumeric={isNumeric(column)} />
              ) : (
                <th key={column.name} scope="col" class={isNumeric(column) ? 'numbers' : undefined}>
                  {column.label}
                </th>
              )
            })}
            {(restore || ask) && (
              <th scope="col">
                <span class="unseen">{t('actions')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{some ? some.draw(one, gap) : rows.map(one)}</tbody>
      </table>
    </section>
  )
}

/** On a phone: what a record is known by, its state and its sum, and a line of the rest. */
function Cards({
  screen,
  columns,
  rows,
  linked,
  picked,
  pick,
  ask,
  restore,
  some,
}: Omit<RowsProps, 'query'> & { linked: Field | undefined }) {
  const state = columns.find(({ kind, name }) => kind === 'enum' && name === 'status')
  const sum = screen.list.columns.find(({ kind, name }) => kind === 'money' && /^(total|amount|balance_due|value)$/.test(name))
  // Of several days that counts by which something is due.
  const due = columns.find((column) => column.kind === 'date' && isDue(column))
  const rest = columns
    .filter(
      (column) => column !== linked && column !== state && column !== sum && (!due || column === due || column.kind !== 'date'),
    )
    .slice(0, 3)
  const gap = (key: string, height: number) => <li key={key} class="gap" aria-hidden="true" style={{ height: `${height}px` }} />
  const one = (row: Row, n: number) => (
    <li key={keyOf(screen, row)} aria-setsize={some?.count} aria-posinset={some && n + 1}>
      {pick && (
        <input
          type="checkbox"
          aria-label={t('selectOne', { name: titleOf(screen, row) })}
          checked={picked.all || picked.rows.has(row.id)}
          onChange={(event) => pick([row], event.currentTarget.checked)}
        />
      )}
      <div class="about">
        <div class="line">
          <TitleLink screen={screen} row={row} />
          {sum && (
            <span class="numbers">
              <Value field={sum} row={row} />
            </span>
          )}
        </div>
        <div class="more">
          {state && <Value field={state} row={row} />}
          {rest.map((column) => (
            <span key={column.name}>
              <Value field={column} row={row} />
            </span>
          ))}
        </div>
      </div>
      {ask && <RowDeeds deeds={screen} row={row} name={titleOf(screen, row)} keys={[keyOf(screen, row)]} ask={ask} />}
      {restore && (
        <button type="button" onClick={() => restore(keyOf(screen, row))}>
          {t('restore')}
        </button>
      )}
    </li>
  )
  return (
    <ul class="cards" aria-label={screen.title}>
      {some ? some.draw(one, gap) : rows.map(one)}
    </ul>
  )
}

export interface Meta {
  current_page: number
  last_page: number
  per_page: number
  total: number
  total_is_floor?: true
}
const totalOf = ({ total, total_is_floor }: Meta) => counted.format(total) + (total_is_floor ? '+' : '')

/** `isLongest`: the list can read on, too. */
export function Pages({ meta, shown, isLongest = false }: { meta: Meta; shown: number; isLongest?: boolean }) {
  const { current_page: page, last_page: last, per_page, total } = meta
  const from = (page - 1) * per_page + 1
  const said = t(meta.total_is_floor ? 'pageOfMore' : 'pageOf', {
    from: counted.format(from),
    to: counted.format(from + shown - 1),
    total: counted.format(total),
  })
  return (
    <nav class="pages" aria-label={t('pages')}>
      <span class="numbers">{said}</span>
      {total > SIZES[0]! && (
        <label class="filter">
          <span>{t('rows')}</span>
          <select value={String(per_page)} onChange={(event) => refine({ per_page: event.currentTarget.value })}>
            {(isLongest ? [...SIZES, LONG] : SIZES).map((size) => (
              <option key={size} value={size}>
                {counted.format(size)}
              </option>
            ))}
          </select>
        </label>
      )}
      <Paging page={page} last={last} to={(next) => refine({ page: String(next) })} />
    </nav>
  )
}

/** That others may see more, to whoever sees only what is theirs. */
const OnlyOwn = ({ screen: { title, sees_all } }: { screen: Screen }) =>
  sees_all && !may([sees_all]) ? (
    <p class="quiet about-list">{t('onlyOwn', { title: inside(title), permission: permissionNamed(sees_all) })}</p>
  ) : null

function Nothing({ screen, isTrash, isFiltered }: { screen: Screen; isTrash: boolean; isFiltered: boolean }) {
  const { begun, create } = screen
  const place = isTrash || isFiltered ? undefined : newPlace(screen)
  const says = isFiltered ? 'emptyFoundSays' : begun ? undefined : place ? 'emptyListSays' : create ? undefined : 'emptyLogSays'
  return (
    <div class="empty" role="status">
      <h2>{isTrash ? t('emptyTrash') : isFiltered ? t('emptyFound') : t('emptyList', { title: inside(screen.title) })}</h2>
      {!isTrash && says && <p class="quiet">{t(says)}</p>}
      <OnlyOwn screen={screen} />
      {place && (
        <a class="button" href={place}>
          {t('newOne', { noun: screen.noun })}
        </a>
      )}
    </div>
  )
}
