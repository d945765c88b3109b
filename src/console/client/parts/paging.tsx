/** Buttons for the previous and the next page of a list. */
import { t } from '../texts/texts.ts'

interface Props {
  page: number
  last: number
  to: (page: number) => void
  /** Labels other than the default. */
  names?: [back: string, on: string]
}

export const Paging = ({ page, last, to, names: [back, on] = [t('previous'), t('next')] }: Props) => (
  <span class="tools">
    <button type="button" aria-disabled={page <= 1} onClick={() => page > 1 && to(page - 1)}>
      {back}
    </button>
    <button type="button" aria-disabled={page >= last} onClick={() => page < last && to(page + 1)}>
      {on}
    </button>
  </span>
)
