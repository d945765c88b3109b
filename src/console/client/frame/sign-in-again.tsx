import { sessionOver } from '../api.ts'
import { boot } from '../boot.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Credentials } from '../sign-in/sign-in.tsx'
import { t } from '../texts/texts.ts'

/** Over the screen on which the session ended: what was typed there stays. */
export const SignInAgain = () => (
  <Dialog title={t('sessionEnded')} close={() => {}}>
    <div class="dialog-body card-like">
      <p class="quiet">{t('sessionEndedSays')}</p>
      <Credentials api={boot.realm!.api} workspace={boot.me?.workspace?.slug} done={() => (sessionOver.value = false)} />
    </div>
  </Dialog>
)
