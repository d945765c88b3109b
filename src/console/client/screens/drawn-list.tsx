/** What lists that a module draws itself have in common with those that are derived. */
import type { ComponentChildren, ComponentType } from 'preact'
import { at, go } from '../addresses.ts'
import { Icon } from '../parts/icon.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { t } from '../texts/texts.ts'
import { ExportItems, ListScreen } from './list.tsx'
import { refine } from './list-query.ts'
import { may, type Screen } from './shape.ts'
import { Views } from './views.tsx'

const ROWS = '#rows'

/**
 * The list as its module draws it; as it is derived where somebody asks for all columns or the trash, or may not see it. Columns that the address names, as
 * those of a saved view, only the derived one has.
 */
export function drawnList(Drawn: ComponentType<{ screen: Screen }>) {
  return function DrawnList({ screen }: { screen?: Screen }) {
    const asked = at.value.searchParams
    const isDerived = at.value.hash === ROWS || asked.has('columns') || asked.has('trashed') || !may(screen!.allow)
    return isDerived ? <ListScreen screen={screen!} /> : <Drawn screen={screen!} />
  }
}

/** Saved views, what is the list's own, and the menu of what the derived one can do. */
export function ListTools({
  screen,
  query,
  children,
}: {
  screen: Screen
  query: Record<string, string>
  children?: ComponentChildren
}) {
  return (
    <>
      <Views screen={screen} columns={[]} />
      {children}
      <Menu name={t('more')} kind="only-icon" label={<Icon name="more" />}>
        <ExportItems screen={screen} query={query} />
        <Item act={() => go(at.value.pathname + at.value.search + ROWS)}>
          <Icon name="columns" />
          {t('allColumns')}
        </Item>
        {screen.list.has_trash && <Item act={() => refine({ trashed: 'only' })}>{t('trash')}</Item>}
      </Menu>
    </>
  )
}
