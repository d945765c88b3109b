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
import { hasSettings, importable, type Screen, screenFor, summaryOf } from '../screens/shape.ts'
import { t } from '../texts/texts.ts'

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

const Nothing = () => (
  <ScreenFrame title={t('notFound')}>
    <p class="quiet">{t('notFoundSays')}</p>
  </ScreenFrame>
)

/** The screen that the address names. */
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
  return <Derived key={key} name={key} id={id} more={more} />
}

/** What is derived from the screen of that key: its list, board, record or form. */
function Derived({ name, id, more }: { name: string; id: string | undefined; more: string | undefined }) {
  const screen = useSignal<Screen | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const isKnown = summaryOf(name) !== undefined
  const load = () => {
    if (isKnown)
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
  if (!id) return <ListScreen screen={found} />
  if (id === 'board' && found.board) return <Board key={found.key} screen={found} />
  if (id === 'calendar' && found.dates.length) return <Calendar key={found.key} screen={found} />
  if (id === 'import' && importable(found)) return <Import key={found.key} screen={found} />
  if (id === 'new' && found.create) return <New key="new" screen={found} />
  if (more === 'edit' && found.edit && found.record) return <Edit key={`edit ${id}`} screen={found} id={id} />
  if (!more && found.record) return <RecordScreen key={id} screen={found} id={id} />
  return <Nothing />
}
