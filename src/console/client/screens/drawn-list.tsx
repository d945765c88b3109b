/** Shared parts of custom and derived lists. */
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
 * Returns a list with the module's own component. The derived list is used for all columns, the trash, columns in the address
 * (such as those of a saved view), and users without permission for the custom one.
 */
export function drawnList(Drawn: ComponentType<{ screen: Screen }>) {
  return function DrawnList({ screen }: { screen?: Screen }) {
    const asked = at.value.searchParams
    const isDerived = at.value.hash === ROWS || asked.has('columns') || asked.has('trashed') || !may(screen!.allow)
    return isDerived ? <ListScreen screen={screen!} /> : <Drawn screen={screen!} />
  }
}

/** Saved views, the list's own tools, and the menu of the derived list's functions. */
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
