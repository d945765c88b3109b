/** What the address says of a list: its filters, order and page, and how they are changed. */
import { at, go } from '../addresses.ts'
import type { Screen } from './shape.ts'

export const PER_PAGE = '50'
/** How many a list reads on to, where that is asked for in the place of pages. */
export const LONG = 1000
const AT_ONCE = 100
export const PAGES_OF_LONG = LONG / AT_ONCE
/** Whether the list is asked to read on. */
export const isLong = () => Number(at.value.searchParams.get('per_page')) > AT_ONCE

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
export const filtersOf = ({ page: _, per_page: __, sort: ___, direction: ____, ...filters }: Record<string, string>) => filters

/** Refines the list: another page is the first again, but where only its columns change. */
export function refine(changes: Record<string, string | undefined>, { replace = false } = {}) {
  const url = new URL(at.value)
  if (!('page' in changes || 'columns' in changes)) url.searchParams.delete('page')
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  go(url.href, { replace })
}
