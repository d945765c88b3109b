/** Screen of the platform's settings: general settings, mail provider with a test, pictures. */
import { useSignal } from '@preact/signals'
import { type SettingGroup, SettingsForm } from '#console/client/account/settings-form.tsx'
import { ApiError, call } from '#console/client/api.ts'
import { boot } from '#console/client/boot.ts'
import { AskingForm } from '#console/client/parts/asking-form.tsx'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { Field as Labelled, TextField } from '#console/client/parts/field.tsx'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { ToCopy } from '#console/client/parts/to-copy.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { changed, useAnswer, useFresh } from '#console/client/screens/data.ts'
import type { Values } from '#console/client/screens/form-values.ts'
import { type Field, may, type Row, summaryOf } from '#console/client/screens/shape.ts'
import { translated } from '#console/client/texts/labels.ts'
import { t } from './texts.ts'

const MAY_UPDATE = ['system-settings.update']
/** Number of initially open groups: general, localization and mail, which are set up first. */
const OPEN = 3
/** Mail providers that report events. */
const TELLING = ['postmark', 'mailgun', 'ses']
const PROVIDERS = ['smtp', ...TELLING]

type Settings = Record<string, Row>

export default function SystemSettings() {
  const isTesting = useSignal(false)
  const told = useAnswer('/console/settings')
  const now = useFresh('/system-settings')
  const asksGateways = summaryOf('payment-gateways') !== undefined
  const gateways = useAnswer(asksGateways ? '/payment-gateways' : undefined)
  const error = told.error ?? now.error
  const settings: Settings | undefined = now.answer?.data.settings
  const mayUpdate = may(MAY_UPDATE)
  return (
    <ScreenFrame
      title={t('title')}
      tools={
        mayUpdate && (
          <button type="button" onClick={() => (isTesting.value = true)}>
            {t('testMail')}
          </button>
        )
      }
    >
      {told.answer && settings && (gateways.answer || gateways.error || !asksGateways) ? (
        <>
          <SettingsForm
            path="/system-settings"
            allow={MAY_UPDATE}
            groups={groupsOf(translated(told.answer.data as SettingGroup[]), settings, gateways.answer?.data ?? [])}
            settings={Object.assign({}, ...Object.values(settings).map(withoutSecrets))}
            open={OPEN}
            isAsked={isAsked}
          />
          <Events provider={settings.mail!.mail_provider} />
          {mayUpdate && <Pictures />}
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
      {isTesting.value && <TestMail close={() => (isTesting.value = false)} />}
    </ScreenFrame>
  )
}

/** Removes secrets: only whether they are set is known, which isn't an initial value. */
const withoutSecrets = (group: Row) =>
  Object.fromEntries(Object.entries(group).filter(([, value]) => typeof value?.set !== 'boolean'))

/** Adds known state to the groups: which secrets are set, and the available gateways. */
const groupsOf = (groups: SettingGroup[], settings: Settings, gateways: Row[]): SettingGroup[] =>
  groups.map((group) => ({
    ...group,
    fields: group.fields.map((field) => {
      if (field.kind === 'secret' && settings.mail![field.name]?.set) return { ...field, hint: t('secretIsSet') }
      if (field.name !== 'default_payment_gateway' || !gateways.length) return field
      return {
        ...field,
        kind: 'enum',
        is_required: true,
        options: gateways.map(({ code, name }) => ({ value: code, label: name })),
      }
    }),
  }))

/** Hides fields of mail providers that aren't selected. */
function isAsked({ name }: Field, { mail_provider: provider }: Values) {
  if (name.startsWith('mail_webhook_')) return TELLING.includes(String(provider))
  const owner = PROVIDERS.find((one) => name.startsWith(`${one}_`))
  return !owner || owner === provider
}

/** Webhook address for the mail provider's events. */
function Events({ provider }: { provider: string | null }) {
  if (!TELLING.includes(provider ?? '')) return null
  const url = `${location.origin}/webhooks/email/${provider}`
  return (
    <section class="system-settings-part" aria-label={t('events')}>
      <h2>{t('events')}</h2>
      <ToCopy label={t('eventsTo')} hint={t('eventsSays')} text={url} />
    </section>
  )
}

function TestMail({ close }: { close: () => void }) {
  const send = async ({ email }: Record<string, string>) => {
    const { data } = await call('post', '/system-settings/test-mail', { body: { email } })
    tell(t(data.provider === 'log' ? 'testKept' : 'testSent', { email: email! }))
    close()
  }
  return (
    <Dialog title={t('testMail')} close={close}>
      <div class="dialog-body">
        <p class="quiet">{t('testSays')}</p>
        <AskingForm button={t('send')} send={send}>
          {(errors) => (
            <>
              <div role="alert">
                {errors.mail_provider && <p class="notice bad">{t('testRefused', { says: errors.mail_provider.join(' ') })}</p>}
              </div>
              <TextField
                label={t('to')}
                name="email"
                type="email"
                required
                autofocus
                autocomplete="email"
                defaultValue={boot.me?.user.email}
                errors={errors.email}
              />
            </>
          )}
        </AskingForm>
      </div>
    </Dialog>
  )
}

/** Picture names in uploads, with their keys in `GET /public/settings`. */
const PICTURES = {
  logo: 'logo_url',
  favicon: 'favicon_url',
  'auth-image-login': 'auth_image_login_url',
  'auth-image-register': 'auth_image_register_url',
  'auth-image-forgot-password': 'auth_image_forgot_password_url',
  'auth-image-reset-password': 'auth_image_reset_password_url',
  'auth-image-email-verify': 'auth_image_email_verify_url',
} as const
type PictureName = keyof typeof PICTURES

function Pictures() {
  const { answer } = useAnswer('/public/settings')
  return (
    <section class="system-settings-part" aria-label={t('pictures')}>
      <h2>{t('pictures')}</h2>
      <p class="quiet">{t('picturesSay')}</p>
      <div class="system-settings-pictures">
        {(Object.keys(PICTURES) as PictureName[]).map((name) => (
          <Picture key={name} name={name} url={answer?.data[PICTURES[name]] ?? undefined} />
        ))}
      </div>
    </section>
  )
}

function Picture({ name, url }: { name: PictureName; url: string | undefined }) {
  const errors = useSignal<string[] | undefined>(undefined)
  const send = async (input: HTMLInputElement) => {
    const file = input.files?.[0]
    if (!file) return
    try {
      errors.value = undefined
      const { message } = await call('post', `/system-settings/branding/${name}`, { body: { file } })
      tell(message ?? '')
      changed()
    } catch (error) {
      errors.value = error instanceof ApiError ? [error.fields.file?.[0] ?? error.message] : [String(error)]
    } finally {
      input.value = ''
    }
  }
  return (
    <Labelled label={t(name)} errors={errors.value}>
      {(tied) => (
        <>
          {url && <img src={url} alt="" />}
          <input
            {...tied}
            type="file"
            accept={name === 'favicon' ? '.png,.jpg,.jpeg,.webp,.ico' : '.png,.jpg,.jpeg,.webp'}
            onChange={(event) => void send(event.currentTarget)}
          />
        </>
      )}
    </Labelled>
  )
}
