/** The ways to the page before and to the page behind one of a list. */
import { t } from '../texts/texts.ts'

interface Props {
  page: number
  last: number
  to: (page: number) => void
  /** What the two are called, where it is another way than back and on. */
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
