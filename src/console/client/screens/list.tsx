/** List of a screen: a table, or cards on a phone. Filters, order and page are in the address. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { at, go } from '../addresses.ts'
import { call } from '../api.ts'
import { Answered } from '../parts/answered.tsx'
import { Icon } from '../parts/icon.tsx'
import { lazyPart } from '../parts/lazy.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { tell } from '../parts/toasts.tsx'
import { explained, inside, needs, permissionNamed } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'
import { ActionDialog, type Asked } from './actions.tsx'
import { BulkBar, BulkReport, nonePicked } from './bulk.tsx'
import { changed, useAnswer } from './data.ts'
import { Filters } from './filters.tsx'
import { Layouts } from './layouts.tsx'
import { filtersOf, isLong, queryOf, refine } from './list-query.ts'
import { NewLink, newPlace } from './new-link.tsx'
import { Pages, totalOf } from './pages.tsx'
import { hasDeeds } from './row-deeds.tsx'
import { Rows } from './rows.tsx'
import { fileAddress, filled, importable, listAddress, may, type Row, type Screen, titleOf } from './shape.ts'
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

const columnsKey = (screen: Screen) => `atrium.columns.${screen.key}`
function keptColumns(screen: Screen): string[] | undefined {
  try {
    return JSON.parse(localStorage.getItem(columnsKey(screen)) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** Returns the columns in the address. */
function askedColumns({ list }: Screen): string[] | undefined {
  const asked = at.value.searchParams.get('columns')?.split(',') ?? []
  const known = list.columns.filter(({ name }) => asked.includes(name)).map(({ name }) => name)
  return known.length ? known : undefined
}

/** Returns the default columns. */
const usualColumns = ({ list }: Screen) => list.columns.filter(({ is_hidden }) => !is_hidden).map(({ name }) => name)

const FORMATS = [
  ['csv', 'CSV'],
  ['xlsx', 'Excel'],
  ['ndjson', 'JSON'],
] as const
/** Returns the address of an export of the list with its filters and order, all pages. */
function exportAddress({ export: file }: Screen, { page: _, per_page: __, ...query }: Record<string, string>, format: string) {
  return fileAddress(`${file!.path}?${new URLSearchParams({ ...query, format })}`)
}

/** Menu items that export the list, for users with permission. */
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

/** Returns the first required filter that the address lacks. */
const lackedBy = ({ list }: Screen, query: Record<string, string>) =>
  list.filters.find(({ is_required, name }) => is_required && !query[name])

/** Returns the address of a new record. It starts with the references that the list is filtered by, such as a customer. */
function newAddress(screen: Screen, query: Record<string, string>): string {
  const names = screen.list.filters.filter(({ kind, name }) => kind === 'reference' && /^\d+$/.test(query[name] ?? ''))
  const asked = new URLSearchParams(names.map(({ name }) => [name, query[name]!]))
  return `${listAddress(screen)}/new${asked.size ? `?${asked}` : ''}`
}

/** List of a screen with filters, selection, columns, and a menu of further functions. */
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
  const isFiltered = Object.keys(filtersOf(query)).some((name) => name !== 'trashed')
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
  // Actions that every user does for themselves, such as checking in, are buttons; those that need a permission are in the menu.
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

/** Notice for users who see only their own records. */
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
