/** Page of workspace settings: the company's address and logo first, then behaviour and installed modules. */
import { useSignal } from '@preact/signals'
import { ApiError, call } from '../api.ts'
import { Field as Labelled } from '../parts/field.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { tell } from '../parts/toasts.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { changed, useAnswer, useFresh } from '../screens/data.ts'
import { may } from '../screens/shape.ts'
import { translated } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'
import { type SettingGroup, SettingsForm } from './settings-form.tsx'

/** Number of groups open at first: the company's and the workspace's. */
const OPEN = 2

export default function Settings() {
  const told = useAnswer('/console/settings')
  const now = useFresh('/settings')
  const error = told.error ?? now.error
  return (
    <ScreenFrame title={t('settings')}>
      {told.answer && now.answer ? (
        <>
          <Logo />
          <SettingsForm
            path="/settings"
            allow={['settings.update']}
            groups={translated(told.answer.data as SettingGroup[])}
            settings={now.answer.data.settings}
            open={OPEN}
          />
        </>
      ) : error ? (
        <Trouble
          error={error}
          again={() => {
            told.again()
            now.again()
          }}
        />
      ) : (
        <p class="quiet">{t('loading')}</p>
      )}
    </ScreenFrame>
  )
}

function Logo() {
  const { answer } = useAnswer('/settings/logo')
  const errors = useSignal<string[] | undefined>(undefined)
  const send = async (file: File | undefined) => {
    try {
      errors.value = undefined
      const { message } = file ? await call('put', '/settings/logo', { body: { file } }) : await call('delete', '/settings/logo')
      tell(message ?? t('done'))
      changed()
    } catch (error) {
      errors.value = [(error instanceof ApiError && error.fields.file?.[0]) || (error as Error).message]
    }
  }
  const url: string | null = answer?.data.logo_url ?? null
  return (
    <section class="form logo">
      <h2>{t('logo')}</h2>
      {url ? <img src={url} alt={t('logo')} /> : <p class="quiet">{t('noLogo')}</p>}
      {may(['settings.update']) && (
        <>
          <Labelled label={t('chooseLogo')} hint={t('logoSays')} errors={errors.value}>
            {(tied) => (
              <input {...tied} type="file" accept=".png,.svg" onChange={(event) => void send(event.currentTarget.files?.[0])} />
            )}
          </Labelled>
          {url && (
            <div>
              <button type="button" onClick={() => void send(undefined)}>
                {t('removeLogo')}
              </button>
            </div>
          )}
        </>
      )}
    </section>
  )
}
