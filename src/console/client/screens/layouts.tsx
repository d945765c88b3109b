/** Links to the other layouts of a screen (list, board, calendar) with the same filters. */
import { at } from '../addresses.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../texts/texts.ts'
import { type Layout, layoutAddress, type Screen } from './shape.ts'

export function Layouts({ screen, here }: { screen: Screen; here: Layout }) {
  const kept = ['search', ...screen.list.filters.map(({ name }) => name)]
  const asked = new URLSearchParams([...at.value.searchParams].filter(([name]) => kept.includes(name)))
  const search = asked.size ? `?${asked}` : ''
  return screen.layouts
    .filter((layout) => layout !== here)
    .map((layout) => (
      <a key={layout} class="button" href={layoutAddress(screen, layout) + search}>
        <Icon name={layout} />
        {t(layout)}
      </a>
    ))
}
