/** Range of the shown rows, page size, and links to other pages. */
import { Paging } from '../parts/paging.tsx'
import { t } from '../texts/texts.ts'
import { LONG, PER_PAGE, refine } from './list-query.ts'
import { counted } from './values.tsx'

/** Page sizes: 100 is the API's maximum. */
const SIZES = [25, Number(PER_PAGE), 100]

export interface Meta {
  current_page: number
  last_page: number
  per_page: number
  total: number
  total_is_floor?: true
}
/** Returns the formatted total. */
export const totalOf = ({ total, total_is_floor }: Meta) => counted.format(total) + (total_is_floor ? '+' : '')

/** Returns the range of a page: `26 to 50 of 70`. */
export function spanOf(meta: Meta, shown: number) {
  const from = (meta.current_page - 1) * meta.per_page + 1
  return t(meta.total_is_floor ? 'pageOfMore' : 'pageOf', {
    from: counted.format(from),
    to: counted.format(from + shown - 1),
    total: counted.format(meta.total),
  })
}

/** `isLongest`: the list can also be continuous. */
export function Pages({ meta, shown, isLongest = false }: { meta: Meta; shown: number; isLongest?: boolean }) {
  const { current_page: page, last_page: last, per_page, total } = meta
  return (
    <nav class="pages" aria-label={t('pages')}>
      <span class="numbers">{spanOf(meta, shown)}</span>
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
