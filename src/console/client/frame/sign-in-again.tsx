import { useEffect } from 'preact/hooks'
import { call, sessionOver, sessions } from '../api.ts'
import { boot } from '../boot.ts'
import { Dialog } from '../parts/dialog.tsx'
import { lazyPart } from '../parts/lazy.tsx'
import { patiently } from '../screens/polling.ts'
import { told } from '../screens/shape.ts'
import { t } from '../texts/texts.ts'

const Credentials = lazyPart(
  async () => (await import('../sign-in/sign-in.tsx')).Credentials,
  <p class="quiet">{t('loading')}</p>,
)

/** During impersonation the server redirects: its hour is over. */
const isPosing = Boolean(told.user?.impersonated_by)

/** Continues where the user was. For another user the page is reloaded: its content and input aren't theirs. */
async function goOn() {
  const { data } = await patiently(() => call('get', '/me'))
  if ((data.user ?? data).id !== boot.me?.user.id) return location.reload()
  sessionOver.value = false
  sessions.value++
}

/** Dialog over the screen on which the session ended, so that form input stays. */
export function SignInAgain() {
  useEffect(() => {
    if (isPosing) location.reload()
  }, [])
  if (isPosing) return null
  return (
    <Dialog title={t('sessionEnded')} close={() => {}}>
      <div class="dialog-body card-like">
        <p class="quiet">{t('sessionEndedSays')}</p>
        <Credentials api={boot.realm!.api} workspace={boot.me?.workspace?.slug} done={() => void goOn()} />
      </div>
    </Dialog>
  )
}
