/** Page of notification preferences: which types are also mailed and pushed. */
import { call } from '../api.ts'
import { boot } from '../boot.ts'
import { ScreenFrame } from '../parts/screen.tsx'
import { tell } from '../parts/toasts.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { changed, useAnswer } from '../screens/data.ts'
import { named } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'

interface Preference {
  type: string
  title: string
  push: boolean
  mail: boolean | null
}

export default function PreferencesScreen() {
  const { answer, error, again } = useAnswer('/notifications/preferences')
  const all = (answer?.data.preferences as Preference[] | undefined)?.map((one) => ({ ...one, title: named(one.title) }))
  const choose = async (type: string, chosen: { push: boolean } | { mail: boolean }) => {
    try {
      await call('put', '/notifications/preferences', { body: { preferences: [{ type, ...chosen }] } })
      tell(t('saved'))
    } catch (failure) {
      tell((failure as Error).message)
    }
    changed()
  }
  return (
    <ScreenFrame title={t('preferencesTitle')} back={{ label: t('notifications'), to: `${boot.realm!.path}/notifications` }}>
      <p class="quiet">{t('preferencesSay')}</p>
      {error !== undefined && !all && <Trouble error={error} again={again} />}
      {all && (
        <table class="preferences">
          <thead>
            <tr>
              <th scope="col">{t('notificationKind')}</th>
              <th scope="col">{t('byMail')}</th>
              <th scope="col">{t('byPush')}</th>
            </tr>
          </thead>
          <tbody>
            {all.map(({ type, title, push, mail }) => (
              <tr key={type}>
                <th scope="row">{title}</th>
                <td>
                  {mail === null ? (
                    <span class="quiet">{t('never')}</span>
                  ) : (
                    <input
                      type="checkbox"
                      aria-label={`${title}: ${t('byMail')}`}
                      checked={mail}
                      onChange={(event) => void choose(type, { mail: event.currentTarget.checked })}
                    />
                  )}
                </td>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`${title}: ${t('byPush')}`}
                    checked={push}
                    onChange={(event) => void choose(type, { push: event.currentTarget.checked })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </ScreenFrame>
  )
}
