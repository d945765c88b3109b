import { go } from '../addresses.ts'
import { leaving } from '../api.ts'
import { boot } from '../boot.ts'
import { setLanguage, setTheme, theme } from '../look.ts'
import { Icon } from '../parts/icon.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { tell } from '../parts/toasts.tsx'
import { told } from '../screens/shape.ts'
import { language, t } from '../texts/texts.ts'

/**
 * Ends the session, once despite repeated clicks. The page is left and its form input discarded. After impersonation, returns to
 * the original session and page.
 */
export async function signOut() {
  if (leaving.value) return
  leaving.value = true
  try {
    const reply = await fetch(`${boot.realm!.path}/sign-out`, { method: 'POST' })
    if (reply.status === 200) return location.assign((await reply.json()).to)
    sessionStorage.clear() // form drafts, which the tab's next user must not see
    location.assign(boot.realm!.path === '/operator' ? '/sign-in/operator' : '/sign-in')
  } catch {
    leaving.value = false
    tell(t('offline'))
  }
}

/** Other realms this browser has visited. */
const others = boot.recent.filter((path) => path !== boot.realm?.path)

export const Account = () => (
  <div class="account">
    <Menu
      name={`${t('account')}: ${boot.me?.user.name ?? ''}`}
      place="up from-start"
      kind="plain wide"
      label={
        <>
          <Icon name="user" />
          <span>{boot.me?.user.name}</span>
        </>
      }
    >
      <div class="group">{boot.me?.user.email}</div>
      {boot.me && <Item act={() => go(`${boot.realm!.path}/account`)}>{t('yourAccount')}</Item>}
      {others.map((path) => (
        <Item key={path} act={() => location.assign(`${path}/`)}>
          {t('goOnIn', { name: path === '/operator' ? t('operator') : path.split('/')[2]! })}
        </Item>
      ))}
      <hr />
      <div class="group">{t('theme')}</div>
      {(['system', 'light', 'dark'] as const).map((one) => (
        <Item key={one} checked={theme.value === one} act={() => setTheme(one)}>
          {t(one === 'system' ? 'themeSystem' : one === 'light' ? 'themeLight' : 'themeDark')}
        </Item>
      ))}
      <div class="group">{t('language')}</div>
      <Item checked={language === 'en'} act={() => setLanguage('en')}>
        English
      </Item>
      <Item checked={language === 'de'} act={() => setLanguage('de')}>
        Deutsch
      </Item>
      <hr />
      <Item act={signOut}>{t(told.user?.impersonated_by ? 'end' : 'signOut')}</Item>
    </Menu>
  </div>
)
