/** Frame around every screen of a realm: navigation, palette, account and toasts. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { at } from '../addresses.ts'
import { call, sessionOver } from '../api.ts'
import { boot } from '../boot.ts'
import { Icon } from '../parts/icon.tsx'
import { CONTROL, isMac } from '../parts/key-names.ts'
import { lazyPart } from '../parts/lazy.tsx'
import { Once } from '../parts/once.tsx'
import { sendByKeys } from '../parts/sent-by-keys.ts'
import { Toasts, tell } from '../parts/toasts.tsx'
import { summaryOf, told } from '../screens/shape.ts'
import { t } from '../texts/texts.ts'
import { Account, signOut } from './account.tsx'
import { Navigation } from './navigation.tsx'
import { Bell, Listening, Notifications } from './notifications.tsx'
import { keysOpen, Palette, paletteOpen } from './palette.tsx'
import { Screens } from './screens.tsx'
import { SignInAgain } from './sign-in-again.tsx'

const Keys = lazyPart(async () => (await import('./keys.tsx')).Keys, null)

const realm = boot.realm ?? { path: '' } // none before sign-in
const whose = boot.me?.workspace?.name ?? (realm.path === '/operator' ? boot.name : (realm.path.split('/')[2] ?? ''))
const KEY = isMac ? '⌘K' : `${CONTROL} K`

const isWorkspace = boot.me?.workspace !== undefined

/** Returns the screen of the current address. */
const screenHere = () => summaryOf(at.value.pathname.slice(realm.path.length).split('/')[1])

/** Until the address is verified, only the user's own account is usable. */
function Unverified() {
  const again = async () => tell((await call('post', '/auth/resend-verification')).message ?? t('done'))
  return (
    <p class="bars">
      {t(boot.platform?.is_mail_delivered === false ? 'unverifiedUnmailed' : 'unverified', { email: boot.me!.user.email })}{' '}
      <button type="button" onClick={() => void again().catch((error) => tell(error.message))}>
        {t('newLink')}
      </button>
    </p>
  )
}

export function Frame() {
  const isOpen = useSignal(false)
  const offline = useSignal(!navigator.onLine)
  useEffect(() => {
    const onLine = () => (offline.value = !navigator.onLine)
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
        event.preventDefault()
        paletteOpen.value = !paletteOpen.value
      }
      if (event.key === 'Escape') isOpen.value = false
    }
    addEventListener('online', onLine)
    addEventListener('offline', onLine)
    addEventListener('keydown', onKey)
    addEventListener('keydown', sendByKeys)
    return () => {
      removeEventListener('online', onLine)
      removeEventListener('offline', onLine)
      removeEventListener('keydown', onKey)
      removeEventListener('keydown', sendByKeys)
    }
  }, [])
  // Following a link closes the drawer on a phone.
  useEffect(() => void (isOpen.value = false), [at.value.pathname])
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={focusMain}>
        {t('skip')}
      </a>
      <header class="bar">
        <button
          class="plain only-icon"
          type="button"
          aria-label={t('menu')}
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <Icon name="menu" />
        </button>
        <span class="whose">{whose}</span>
        {isWorkspace && <Bell />}
        <button class="plain only-icon" type="button" aria-label={t('commands')} onClick={() => (paletteOpen.value = true)}>
          <Icon name="search" />
        </button>
      </header>
      <aside class={isOpen.value ? 'side open' : 'side'} aria-label={t('menu')}>
        <div class="top">
          <a class="whose" href={`${realm.path}/`}>
            {whose}
          </a>
          {isWorkspace && <Bell />}
        </div>
        <button class="find" type="button" onClick={() => (paletteOpen.value = true)}>
          <Icon name="search" />
          {t('commands')}
          <kbd>{KEY}</kbd>
        </button>
        <Navigation />
        <Account />
      </aside>
      <div class="content">
        {offline.value && (
          <p class="bars" role="status">
            {t('offline')}
          </p>
        )}
        {told.user?.impersonated_by && (
          <p class="bars" role="status">
            {t('worksAs', { name: boot.me?.user.name ?? '', by: told.user.impersonated_by })}{' '}
            <button type="button" onClick={() => void signOut()}>
              {t('end')}
            </button>
          </p>
        )}
        {boot.me?.user.email_verified_at === null && <Unverified />}
        <Screens />
      </div>
      {paletteOpen.value && <Palette />}
      {keysOpen.value && <Keys close={() => void (keysOpen.value = false)} />}
      {sessionOver.value && <SignInAgain />}
      {isWorkspace && <Notifications />}
      {isWorkspace && <Listening resource={screenHere()?.resource} />}
      <Once />
      <Toasts />
    </div>
  )
}

function focusMain(event: Event) {
  event.preventDefault()
  document.querySelector<HTMLElement>('main h1')?.focus()
}
