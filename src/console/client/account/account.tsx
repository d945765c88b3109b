/** Page of the user's own account: profile, password, second factor, passkeys, sessions. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { call } from '../api.ts'
import { boot } from '../boot.ts'
import { Answered } from '../parts/answered.tsx'
import { AskingForm } from '../parts/asking-form.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Check, TextField } from '../parts/field.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { tell } from '../parts/toasts.tsx'
import { changed, useAnswer } from '../screens/data.ts'
import { told } from '../screens/shape.ts'
import { moment, t } from '../texts/texts.ts'

const isOperator = boot.realm!.api === '/api/central/v1'

const Section = ({ title, says, children }: { title: string; says?: string; children: ComponentChildren }) => (
  <section class="part" aria-label={title}>
    <h2>{title}</h2>
    {says && <p class="quiet">{says}</p>}
    {children}
  </section>
)

/** Sends a request, shows its message as a toast and refetches everything on the page. */
async function doing(...request: Parameters<typeof call>) {
  const { data, message } = await call(...request)
  tell(message || t('done'))
  changed()
  return data
}

const Password = ({ errors }: { errors: readonly string[] | undefined }) => (
  <TextField label={t('yourPassword')} errors={errors} name="password" type="password" autocomplete="current-password" required />
)

/** Dialog for an action that needs the password again. */
function Asking({
  title,
  says,
  button = title,
  send,
  close,
  children,
}: {
  title: string
  says?: string
  button?: string
  send: (values: Record<string, string>) => Promise<unknown>
  close: () => void
  children?: (errors: Record<string, readonly string[]>) => ComponentChildren
}) {
  return (
    <Dialog title={title} close={close}>
      <div class="dialog-body card-like">
        {says && <p class="quiet">{says}</p>}
        <AskingForm button={button} send={async (values) => void (await send(values))}>
          {(errors) => (
            <>
              {children?.(errors)}
              <Password errors={errors.password} />
            </>
          )}
        </AskingForm>
      </div>
    </Dialog>
  )
}

interface Owner {
  name: string
  email: string
  pending_email?: string | null
}

function Profile() {
  const answered = useAnswer('/me')
  return (
    <Section title={t('profile')}>
      <Answered of={answered}>{({ data }) => <ProfileForm me={data.user ?? data} />}</Answered>
    </Section>
  )
}

const ProfileForm = ({ me }: { me: Owner }) => (
  <AskingForm
    button={t('save')}
    kind="primary"
    send={({ name, email }) => doing(isOperator ? 'post' : 'put', '/me', { body: { name, email } })}
  >
    {(errors) => (
      <>
        <TextField label={t('yourName')} errors={errors.name} name="name" autocomplete="name" defaultValue={me.name} required />
        <TextField
          label={t('email')}
          hint={me.pending_email ? t('pendingEmail', { email: me.pending_email }) : undefined}
          errors={errors.email}
          name="email"
          type="email"
          autocomplete="email"
          defaultValue={me.email}
          required
        />
      </>
    )}
  </AskingForm>
)

function NewPassword() {
  const fields = useRef<HTMLDivElement>(null)
  return (
    <Section title={t('password')}>
      <AskingForm
        button={t('changePassword')}
        kind="primary"
        send={async ({ revoke_other_sessions, ...body }) => {
          await doing('post', '/me/change-password', { body: { ...body, revoke_other_sessions: revoke_other_sessions === 'on' } })
          fields.current?.closest('form')?.reset()
        }}
      >
        {(errors) => (
          <div ref={fields} class="fields">
            <TextField
              label={t('oldPassword')}
              errors={errors.old_password}
              name="old_password"
              type="password"
              autocomplete="current-password"
              required
            />
            <TextField
              label={t('newPassword')}
              errors={errors.password}
              name="password"
              type="password"
              autocomplete="new-password"
              required
            />
            <TextField
              label={t('passwordAgain')}
              errors={errors.password_confirmation}
              name="password_confirmation"
              type="password"
              autocomplete="new-password"
              required
            />
            <Check label={t('revokeOthers')} name="revoke_other_sessions" checked />
          </div>
        )}
      </AskingForm>
    </Section>
  )
}

interface Begun {
  svg: string
  secret: string
}

function SecondFactor() {
  const answered = useAnswer('/me/two-factor')
  const asks = useSignal<'begin' | 'end' | 'renew' | undefined>(undefined)
  const begun = useSignal<Begun | undefined>(undefined)
  const codes = useSignal<string[]>([])
  const close = () => void (asks.value = undefined)
  return (
    <Section title={t('codeTitle')}>
      <Answered of={answered}>
        {({ data: { enabled, recovery_codes_remaining } }) => (
          <>
            <p class="quiet">{enabled ? t('factorOn', { count: recovery_codes_remaining }) : t('factorOff')}</p>
            <div class="tools">
              {enabled ? (
                <>
                  <button type="button" onClick={() => (asks.value = 'renew')}>
                    {t('factorRenew')}
                  </button>
                  <button type="button" class="danger" onClick={() => (asks.value = 'end')}>
                    {t('factorEnd')}
                  </button>
                </>
              ) : (
                <button type="button" class="primary" onClick={() => (asks.value = 'begin')}>
                  {t('factorBegin')}
                </button>
              )}
            </div>
          </>
        )}
      </Answered>
      {asks.value === 'begin' && (
        <Asking
          title={t('factorBegin')}
          button={t('goOn')}
          close={close}
          send={async ({ password }) => {
            begun.value = (await call('post', '/me/two-factor', { body: { password } })).data as Begun
            close()
          }}
        />
      )}
      {asks.value === 'renew' && (
        <Asking
          title={t('factorRenew')}
          close={close}
          send={async ({ password }) => {
            codes.value = (await doing('post', '/me/two-factor/recovery-codes', { body: { password } })).recovery_codes
            close()
          }}
        />
      )}
      {asks.value === 'end' && (
        <Asking
          title={t('factorEnd')}
          close={close}
          send={async ({ password, code }) => {
            await doing('delete', '/me/two-factor', { body: { password, code } })
            close()
          }}
        >
          {(errors) => <Code errors={errors.code} />}
        </Asking>
      )}
      {begun.value && (
        <Dialog title={t('factorBegin')} close={() => (begun.value = undefined)}>
          <div class="dialog-body card-like">
            <p class="quiet">{t('factorScan')}</p>
            <img class="qr" src={`data:image/svg+xml,${encodeURIComponent(begun.value.svg)}`} alt={t('qrCode')} />
            <code class="secret">{begun.value.secret}</code>
            <AskingForm
              button={t('factorConfirm')}
              send={async ({ code }) => {
                codes.value = (await doing('post', '/me/two-factor/confirm', { body: { code } })).recovery_codes
                begun.value = undefined
              }}
            >
              {(errors) => <Code errors={errors.code ?? errors.two_factor} />}
            </AskingForm>
          </div>
        </Dialog>
      )}
      {codes.value.length > 0 && (
        <Dialog title={t('recoveryCodes')} close={() => (codes.value = [])}>
          <div class="dialog-body">
            <p class="quiet">{t('recoveryCodesSay')}</p>
            <ul class="codes">
              {codes.value.map((code) => (
                <li key={code}>
                  <code>{code}</code>
                </li>
              ))}
            </ul>
            <div class="dialog-foot">
              <button type="button" class="primary" onClick={() => (codes.value = [])}>
                {t('close')}
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </Section>
  )
}

const Code = ({ errors }: { errors: readonly string[] | undefined }) => (
  <TextField label={t('code')} errors={errors} name="code" autocomplete="one-time-code" autofocus required />
)

interface Passkey {
  id: number
  name: string
  created_at: string
  last_used_at: string | null
  suspended_at: string | null
}

/** The browser creates a passkey for this host; the password confirms the account. */
async function addPasskey({ name, password }: Record<string, string>) {
  const { options_token, options } = (await call('get', '/me/passkeys/options')).data
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const made = (await navigator.credentials.create({ publicKey }).catch(() => {
    throw new Error(t('passkeyFailed'))
  })) as PublicKeyCredential
  await doing('post', '/me/passkeys', { body: { name, password, options_token, credential: made.toJSON() } })
}

function Passkeys() {
  const answered = useAnswer('/me/passkeys')
  const asks = useSignal<{ deed: 'add' } | { deed: 'confirm' | 'remove'; on: Passkey } | undefined>(undefined)
  const close = () => void (asks.value = undefined)
  const all = (answered.answer?.data ?? []) as Passkey[]
  const asked = asks.value
  return (
    <Section title={t('passkeys')} says={t('passkeysSay')}>
      <Answered of={answered}>
        {() =>
          all.length > 0 && (
            <ul class="rows">
              {all.map((one) => (
                <li key={one.id}>
                  <span>
                    <strong>{one.name}</strong> {one.suspended_at && <span class="tag warn">{t('suspended')}</span>}
                    <small>
                      {one.last_used_at ? t('lastUsed', { at: moment.format(new Date(one.last_used_at)) }) : t('neverUsed')}
                    </small>
                  </span>
                  {one.suspended_at && (
                    <button type="button" onClick={() => (asks.value = { deed: 'confirm', on: one })}>
                      {t('confirmOne', { name: one.name })}
                    </button>
                  )}
                  <button type="button" onClick={() => (asks.value = { deed: 'remove', on: one })}>
                    {t('remove', { name: one.name })}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
      <div class="tools">
        {'PublicKeyCredential' in window && (
          <button type="button" class="primary" onClick={() => (asks.value = { deed: 'add' })}>
            {t('passkeyAdd')}
          </button>
        )}
      </div>
      {asked?.deed === 'add' && (
        <Asking
          title={t('passkeyAdd')}
          says={t('passkeyAddSays')}
          close={close}
          send={(values) => addPasskey(values).then(close)}
        >
          {(errors) => (
            <TextField label={t('passkeyName')} hint={t('passkeyNameHint')} errors={errors.name} name="name" autofocus required />
          )}
        </Asking>
      )}
      {asked && asked.deed !== 'add' && (
        <Asking
          title={t(asked.deed === 'remove' ? 'remove' : 'confirmOne', { name: asked.on.name })}
          close={close}
          send={async ({ password }) => {
            const path = `/me/passkeys/${asked.on.id}`
            await (asked.deed === 'remove'
              ? doing('delete', path, { body: { password } })
              : doing('post', `${path}/confirm`, { body: { password } }))
            close()
          }}
        />
      )}
    </Section>
  )
}

/** The API's name of a session whose client sends no name, such as a browser. */
const UNNAMED = 'session'

interface Session {
  id: number
  name: string
  ip: string | null
  last_used_at: string
  is_current: boolean
}

function Sessions() {
  const answered = useAnswer('/me/sessions')
  const all = (answered.answer?.data ?? []) as Session[]
  const end = (...request: Parameters<typeof call>) => void doing(...request).catch((error) => tell(error.message))
  return (
    <Section title={t('sessions')} says={t('sessionsSay')}>
      <Answered of={answered}>
        {() => (
          <ul class="rows">
            {all.map((one) => (
              <li key={one.id}>
                <span>
                  <strong>{one.name === UNNAMED ? t('session') : one.name}</strong>{' '}
                  {one.is_current && <span class="tag good">{t('thisSession')}</span>}
                  <small>
                    {one.ip} · {t('lastUsed', { at: moment.format(new Date(one.last_used_at)) })}
                  </small>
                </span>
                {!one.is_current && (
                  <button type="button" onClick={() => end('delete', `/me/sessions/${one.id}`)}>
                    {t('endSession')}
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answered>
      {all.length > 1 && (
        <div class="tools">
          <button type="button" onClick={() => end('post', '/me/sessions/revoke-others')}>
            {t('endOthers')}
          </button>
        </div>
      )}
    </Section>
  )
}

export default function AccountScreen() {
  return (
    <ScreenFrame title={t('yourAccount')}>
      {told.user?.impersonated_by ? (
        <p class="notice">{t('notYours')}</p>
      ) : (
        <div class="own-account">
          <Profile />
          <NewPassword />
          <SecondFactor />
          <Passkeys />
          <Sessions />
        </div>
      )}
    </ScreenFrame>
  )
}
