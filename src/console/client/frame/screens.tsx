import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { at } from '../addresses.ts'
import { boot } from '../boot.ts'
import { lazy } from '../parts/lazy.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { HomeScreen } from '../screens/home.tsx'
import { ListScreen } from '../screens/list.tsx'
import { RecordScreen } from '../screens/record.tsx'
import { hasSettings, importable, knownScreen, may, pageOf, type Screen, screenFor, summaryOf } from '../screens/shape.ts'
import { t } from '../texts/texts.ts'
import { DrawnPage, drawnAt } from './drawn.tsx'

const Import = lazy(
  async () => (await import('../screens/import.tsx')).ImportScreen,
  ({ screen }: { screen: Screen }) => t('importTitle', { title: screen.title }),
)

const New = lazy(
  async () => (await import('../screens/edit.tsx')).NewScreen,
  ({ screen }: { screen: Screen }) => t('newOne', { noun: screen.noun }),
)
const Edit = lazy(
  async () => (await import('../screens/edit.tsx')).EditScreen,
  ({ screen }: { screen: Screen; id: string }) => screen.title,
)

const Board = lazy(
  async () => (await import('../screens/board.tsx')).BoardScreen,
  ({ screen }: { screen: Screen }) => screen.title,
)

const Calendar = lazy(
  async () => (await import('../screens/calendar.tsx')).CalendarScreen,
  ({ screen }: { screen: Screen }) => screen.title,
)

const Account = lazy(
  async () => (await import('../account/account.tsx')).default,
  () => t('account'),
)
const Preferences = lazy(
  async () => (await import('../account/preferences.tsx')).default,
  () => t('account'),
)
const Settings = lazy(
  async () => (await import('../account/settings.tsx')).default,
  () => t('settings'),
)

const Components = lazy(
  async () => (await import('../components/components.tsx')).ComponentsScreen,
  () => 'Components',
)

const Nothing = () => (
  <ScreenFrame title={t('notFound')}>
    <p class="quiet">{t('notFoundSays')}</p>
  </ScreenFrame>
)

/** Renders the screen of the current address. */
export function Screens() {
  const parts = at.value.pathname.slice(boot.realm!.path.length).split('/').filter(Boolean).map(decodeURIComponent)
  if (!boot.me)
    return (
      <ScreenFrame title={t('closed')}>
        <p>{boot.refused?.message}</p>
      </ScreenFrame>
    )
  const [key, id, more] = parts
  if (!key) return <HomeScreen />
  if (key === 'account' && !id) return <Account />
  if (key === 'settings' && !id && hasSettings) return <Settings />
  if (key === 'notifications' && id === 'preferences') return <Preferences />
  if (key === '_components' && !id && boot.development) return <Components />
  const page = pageOf(key)
  if (page && !id) return <DrawnPage key={key} page={page} />
  return <OfModule key={key} name={key} id={id} more={more} />
}

/**
 * Returns the part of a screen that the rest of an address refers to; undefined where there is none or the user may not see it.
 */
function placeOf(screen: Screen, id: string | undefined, more: string | undefined) {
  if (!id) return 'list'
  if (id === 'board' && screen.board) return 'board'
  if (id === 'calendar' && screen.dates.length) return 'calendar'
  if (id === 'import' && importable(screen)) return 'import'
  if (id === 'new' && screen.create && may(screen.create.allow)) return 'new'
  if (more === 'edit' && screen.edit && screen.record && may(screen.edit.allow)) return 'edit'
  return !more && screen.record ? 'record' : undefined
}

/** Renders the list, board, record or form of a screen: the module's own, or else the derived one. */
function OfModule({ name, id, more }: { name: string; id: string | undefined; more: string | undefined }) {
  const screen = useSignal(knownScreen(name))
  const error = useSignal<unknown>(undefined)
  const isKnown = summaryOf(name) !== undefined
  const load = () => {
    if (isKnown && !screen.value)
      screenFor(name).then(
        (found) => (screen.value = found),
        (failure) => (error.value = failure),
      )
  }
  useEffect(load, [name])
  if (!isKnown) return <Nothing />
  const found = screen.value
  if (!found)
    return (
      <ScreenFrame title={summaryOf(name)!.title}>
        {error.value ? <Trouble error={error.value} again={load} /> : <p class="quiet">{t('loading')}</p>}
      </ScreenFrame>
    )
  const place = placeOf(found, id, more)
  const Drawn = place && drawnAt(found, place)
  const isOne = place === 'record' || place === 'edit'
  if (Drawn) return <Drawn key={`${place} ${isOne ? id : ''}`} screen={found} {...(isOne ? { id: id! } : {})} />
  switch (place) {
    case 'list':
      return <ListScreen screen={found} />
    case 'board':
      return <Board key={found.key} screen={found} />
    case 'calendar':
      return <Calendar key={found.key} screen={found} />
    case 'import':
      return <Import key={found.key} screen={found} />
    case 'new':
      return <New key="new" screen={found} />
    case 'edit':
      return <Edit key={`edit ${id}`} screen={found} id={id!} />
    case 'record':
      return <RecordScreen key={id} screen={found} id={id!} />
    default:
      return <Nothing />
  }
}
