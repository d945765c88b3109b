import { at } from '../addresses.ts'
import { boot } from '../boot.ts'
import { listAddress, type Screen, screens } from '../screens/shape.ts'
import { t } from '../texts/texts.ts'

/** What stands in the navigation: the screens of a module that aren't reached from another one's. */
export const entries = screens.filter(({ path }) => path.split('/').length === 2)

const isHere = (screen: Screen) => `${at.value.pathname}/`.startsWith(`${listAddress(screen)}/`)

export const Navigation = () => (
  <nav aria-label={t('modules')}>
    <ul>
      <li>
        <a
          href={`${boot.realm!.path}/`}
          aria-current={at.value.pathname.replace(/\/$/, '') === boot.realm!.path ? 'page' : undefined}
        >
          {t('home')}
        </a>
      </li>
      {entries.map((screen) => (
        <li key={screen.key}>
          <a href={listAddress(screen)} aria-current={isHere(screen) ? 'page' : undefined}>
            {screen.title}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)
