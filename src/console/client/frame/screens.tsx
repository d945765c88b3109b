import { at } from '../addresses.ts'
import { boot } from '../boot.ts'
import { ScreenFrame } from '../parts/screen.tsx'
import { listAddress } from '../screens/shape.ts'
import { t } from '../texts/texts.ts'
import { entries } from './navigation.tsx'

const KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘ K' : 'Ctrl K'

const Home = () => (
  <ScreenFrame title={t('welcome', { name: boot.me!.user.name.split(' ')[0]! })}>
    <p class="quiet">{t('welcomeSays', { key: KEY })}</p>
    <ul class="tiles">
      {entries.map((screen) => (
        <li key={screen.key}>
          <a href={listAddress(screen)}>{screen.title}</a>
        </li>
      ))}
    </ul>
  </ScreenFrame>
)

/** The screen that the address names. */
export function Screens() {
  if (!boot.me)
    return (
      <ScreenFrame title={t('closed')}>
        <p>{boot.refused?.message}</p>
      </ScreenFrame>
    )
  const [key] = at.value.pathname.slice(boot.realm!.path.length).split('/').filter(Boolean)
  if (!key) return <Home />
  return (
    <ScreenFrame title={t('notFound')}>
      <p class="quiet">{t('notFoundSays')}</p>
    </ScreenFrame>
  )
}
