/** State of a list in the address: filters, order and page. */
import { at, go } from '../addresses.ts'
import type { Screen } from './shape.ts'

export const PER_PAGE = '50'
/** Maximum number of rows of a continuous list, which loads further pages instead of showing page links. */
export const LONG = 1000
const AT_ONCE = 100
export const PAGES_OF_LONG = LONG / AT_ONCE
/** Returns whether the list is continuous. */
export const isLong = () => Number(at.value.searchParams.get('per_page')) > AT_ONCE

/** Returns the API query from the address. `readsOn`: starts a continuous list of a thousand rows over several API pages. */
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

/** Returns the first API page of a page of a thousand rows. */
const longPage = (page: string | undefined) => ({
  per_page: String(AT_ONCE),
  page: String((Math.max(1, Math.floor(Number(page)) || 1) - 1) * PAGES_OF_LONG + 1),
})

/** Returns the part of a list’s query that selects rows. */
export const filtersOf = ({ page: _, per_page: __, sort: ___, direction: ____, ...filters }: Record<string, string>) => filters

/** Changes the list's state in the address. Resets the page, except for changes of columns. */
export function refine(changes: Record<string, string | undefined>, { replace = false } = {}) {
  const url = new URL(at.value)
  if (!('page' in changes || 'columns' in changes)) url.searchParams.delete('page')
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  go(url.href, { replace })
}
