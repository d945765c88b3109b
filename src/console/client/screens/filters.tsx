/** Search and filters of a list. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { at } from '../addresses.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../texts/texts.ts'
import { dayOf, rangeOf, spans, todayOf } from './days.ts'
import { refine } from './list-query.ts'
import { ReferenceInput } from './reference-input.tsx'
import type { Field, Screen } from './shape.ts'
import { locale } from './values.tsx'

const FILTERS = new Set(['enum', 'boolean', 'reference', 'date', 'text', 'number'])
/** Order: required filters first, then enums and records, then texts and numbers. */
const filterRank = ({ kind, is_required }: Field) => (is_required ? 0 : kind === 'text' || kind === 'number' ? 2 : 1)

/**
 * Search and filters of a list: the frequent ones, and a button for the others. `without`: filters that the screen sets itself.
 */
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

/** Returns the name of a range's other filter. */
const otherEnd = (name: string) => name.replace(/_from$/, '_to')

/** Returns the date field that a range filter belongs to. */
const timeOf = ({ dates, list }: Screen, filter: string) =>
  list.columns.find(({ name }) => dates.includes(name) && (filter === `${name}_from` || filter === `${name}_to`))

/** Limits years to four digits, after which the browser moves to the next part. */
const LAST_DAY = '9999-12-31'

/** Ignores partial years: a browser reports each digit, as in 0002, 0020, 0202. */
const whenTyped = (value: string, to: (day: string) => void) => {
  if (value === '' || /^[1-9]\d{3}-/.test(value)) to(value)
}

/** Filters by a month, a year, or a custom range of days. */
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
  /** Value last sent to the address by this input; another one came by Back or a link. */
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
