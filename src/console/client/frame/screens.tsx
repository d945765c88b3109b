import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { at } from '../addresses.ts'
import { boot } from '../boot.ts'
import { ScreenFrame } from '../parts/screen.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { BoardScreen } from '../screens/board.tsx'
import { EditScreen, NewScreen } from '../screens/edit.tsx'
import { ListScreen } from '../screens/list.tsx'
import { RecordScreen } from '../screens/record.tsx'
import { listAddress, type Screen, screenFor, summaryOf } from '../screens/shape.ts'
import { t } from '../texts/texts.ts'
import { groups } from './navigation.tsx'

const KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'

const Home = () => (
  <ScreenFrame title={t('welcome', { name: boot.me!.user.name.split(' ')[0]! })}>
    <p class="quiet">{t('welcomeSays', { key: KEY })}</p>
    {groups
      .filter(({ screens }) => screens.length)
      .map(({ title, screens }) => (
        <section class="group-of-tiles" key={title}>
          {title && <h2>{title}</h2>}
          <ul class="tiles">
            {screens.map((screen) => (
              <li key={screen.key}>
                <a href={listAddress(screen)}>{screen.title}</a>
              </li>
            ))}
          </ul>
        </section>
      ))}
  </ScreenFrame>
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
  if (!key) return <Home />
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
  if (id === 'board' && found.board) return <BoardScreen screen={found} />
  if (id === 'new' && found.create) return <NewScreen key="new" screen={found} />
  if (more === 'edit' && found.edit && found.record) return <EditScreen key={`edit ${id}`} screen={found} id={id} />
  if (!more && found.record) return <RecordScreen key={id} screen={found} id={id} />
  return <Nothing />
}
