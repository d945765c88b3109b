/** Signing in, and what stands beside it: a second factor, a passkey, a forgotten password, an invitation, a new workspace. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { safeNext } from '../addresses.ts'
import { ApiError, callBefore } from '../api.ts'
import { boot, type Realm } from '../boot.ts'
import { Check, TextField } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { t } from '../texts/texts.ts'

const query = new URLSearchParams(location.search)
const next = query.get('next')
const nextSlug = /^\/w\/([a-z0-9-]+)/.exec(next ?? '')?.[1]

interface Failure {
  message: string
  fields: Record<string, readonly string[]>
}
const failureOf = (error: unknown): Failure =>
  error instanceof ApiError
    ? { message: Object.keys(error.fields).length ? '' : error.message, fields: error.fields }
    : { message: String(error), fields: {} }

/** One form of these pages: says what went wrong with each field, and takes no second answer while the first is on its way. */
function SignInForm({
  button,
  send,
  children,
}: {
  button: string
  send: (values: Record<string, string>) => Promise<void>
  children: (errors: Failure['fields']) => ComponentChildren
}) {
  const failure = useSignal<Failure>({ message: '', fields: {} })
  const waits = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (waits.value) return
    waits.value = true
    try {
      await send(Object.fromEntries([...new FormData(form.current!)].map(([name, value]) => [name, String(value)])))
    } catch (error) {
      failure.value = failureOf(error)
      setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
    } finally {
      waits.value = false
    }
  }
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <div role="alert">{failure.value.message && <p class="notice bad">{failure.value.message}</p>}</div>
      {children(failure.value.fields)}
      <button class="primary wide" type="submit" aria-disabled={waits.value}>
        {button}
      </button>
    </form>
  )
}

/** Asks for a passkey of this host, and signs in by it. */
async function signInByPasskey(api: Realm['api']) {
  const { data } = await callBefore(api, 'get', '/auth/passkeys/login/options')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(data.options)
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
  return callBefore(api, 'post', '/auth/passkeys/login', {
    body: { options_token: data.options_token, credential: credential.toJSON() },
  })
}

/**
 * The forms that begin a session: password, then a second factor where there is one. `done` is told where the session leads. `workspace` is the one
 * that is meant; without one, it is asked for where several know the address.
 */
export function Credentials({
  api,
  workspace,
  done,
}: {
  api: Realm['api']
  workspace?: string | undefined
  done: (to: string) => void
}) {
  const challenge = useSignal<string | undefined>(undefined)
  const asksWorkspace = useSignal(false)
  const failed = useSignal('')
  const finish = ({ data }: { data: { to: string; two_factor_required?: boolean; challenge_token?: string } }) => {
    if (data.two_factor_required) challenge.value = data.challenge_token
    else done(data.to)
  }
  const byPasskey = async () => {
    failed.value = ''
    try {
      finish(await signInByPasskey(api))
    } catch (error) {
      failed.value = error instanceof ApiError ? error.message : t('passkeyFailed')
    }
  }
  if (challenge.value)
    return (
      <SignInForm
        key="code"
        button={t('signIn')}
        send={async ({ code }) => {
          try {
            finish(
              await callBefore(api, 'post', '/auth/two-factor/challenge', { body: { challenge_token: challenge.value, code } }),
            )
          } catch (error) {
            if (error instanceof ApiError && error.fields.challenge_token) challenge.value = undefined
            throw error
          }
        }}
      >
        {(errors) => (
          <TextField
            label={t('code')}
            hint={t('codeHint')}
            errors={errors.code}
            name="code"
            autocomplete="one-time-code"
            autofocus
            required
          />
        )}
      </SignInForm>
    )
  return (
    <>
      <SignInForm
        key="password"
        button={t('signIn')}
        send={async ({ email, password, slug, remember }) => {
          const named = slug || workspace
          try {
            finish(
              await callBefore(api, 'post', '/auth/login', {
                body: { email, password, remember: remember === 'on', ...(named ? { workspace: named } : {}) },
              }),
            )
          } catch (error) {
            if (error instanceof ApiError && error.fields.workspace) asksWorkspace.value = true
            throw error
          }
        }}
      >
        {(errors) => (
          <>
            <TextField
              label={t('email')}
              errors={errors.email}
              name="email"
              type="email"
              autocomplete="username"
              autofocus
              required
            />
            <TextField
              label={t('password')}
              errors={errors.password}
              name="password"
              type="password"
              autocomplete="current-password"
              required
            />
            {asksWorkspace.value && (
              <TextField
                label={t('workspace')}
                hint={t('workspaceHint')}
                errors={errors.workspace}
                name="slug"
                autocomplete="organization"
                required
              />
            )}
            <Check label={t('remember')} name="remember" />
          </>
        )}
      </SignInForm>
      {'PublicKeyCredential' in window && (
        <button class="wide" type="button" onClick={byPasskey}>
          <Icon name="key" />
          {t('passkey')}
        </button>
      )}
      <div role="status">{failed.value && <p class="notice bad">{failed.value}</p>}</div>
    </>
  )
}

function Card({ title, says, children }: { title: string; says?: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${boot.name}`
    if (!document.querySelector('[autofocus]')) heading.current?.focus()
    else document.querySelector<HTMLElement>('[autofocus]')!.focus()
  }, [title])
  return (
    <main class="card">
      <p class="product">{boot.name}</p>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {says && <p class="quiet">{says}</p>}
      {children}
      {boot.platform?.support_email && <p class="quiet foot">{t('help', { email: boot.platform.support_email })}</p>}
    </main>
  )
}

const nameOf = (path: string) => (path === '/operator' ? t('operator') : path.split('/')[2]!)
const withNext = (path: string) => (next ? `${path}?next=${encodeURIComponent(next)}` : path)

function SignIn({ operator }: { operator: boolean }) {
  const others = boot.recent.filter((path) => (path === '/operator') === operator)
  return (
    <Card title={operator ? `${t('signIn')} · ${t('operator')}` : nextSlug ? t('signInTo', { name: nextSlug }) : t('signIn')}>
      <Credentials
        api={operator ? '/api/central/v1' : '/api/tenant/v1'}
        workspace={operator ? undefined : nextSlug}
        done={(to) => location.assign(safeNext(to.replace(/\/$/, ''), next))}
      />
      <nav class="onward" aria-label={t('goTo')}>
        <a href={`/sign-in${operator ? '/operator' : ''}/forgotten`}>{t('forgotten')}</a>
        {nextSlug && <a href="/sign-in">{t('otherWorkspace')}</a>}
        {!operator && boot.platform?.registration_enabled && <a href="/sign-in/register">{t('register')}</a>}
        {!next && others.map((path) => <a href={`${path}/`}>{t('goOnIn', { name: nameOf(path) })}</a>)}
        {operator ? (
          <a href="/sign-in">{t('signInToWorkspace')}</a>
        ) : (
          !next && <a href={withNext('/sign-in/operator')}>{t('signInAsOperator')}</a>
        )}
      </nav>
    </Card>
  )
}

function Forgotten({ operator }: { operator: boolean }) {
  const told = useSignal('')
  return (
    <Card title={t('forgottenTitle')} says={t('forgottenSays')}>
      {told.value ? (
        <p class="notice" role="status">
          {told.value}
        </p>
      ) : (
        <SignInForm
          button={t('forgottenButton')}
          send={async ({ email }) => {
            told.value = (
              await callBefore(operator ? '/api/central/v1' : '/api/tenant/v1', 'post', '/auth/forgot-password', {
                body: { email },
              })
            ).message
          }}
        >
          {(errors) => (
            <TextField
              label={t('email')}
              errors={errors.email}
              name="email"
              type="email"
              autocomplete="username"
              autofocus
              required
            />
          )}
        </SignInForm>
      )}
      <nav class="onward" aria-label={t('goTo')}>
        <a href={`/sign-in${operator ? '/operator' : ''}`}>{t('signIn')}</a>
      </nav>
    </Card>
  )
}

const NewPassword = ({ errors }: { errors: Failure['fields'] }) => (
  <>
    <TextField
      label={t('password')}
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
  </>
)

/** By a mailed invitation, whose token is behind `#`: no server is told of it by the address. */
function Invitation({ operator }: { operator: boolean }) {
  return (
    <Card title={t('invitationTitle')} says={t('invitationSays')}>
      <SignInForm
        button={t('invitationButton')}
        send={async (values) => {
          const body = { ...values, token: location.hash.slice(1) }
          const { data } = await callBefore(operator ? '/api/central/v1' : '/api/tenant/v1', 'post', '/auth/accept-invite', {
            body,
          })
          location.assign(data?.to ?? (operator ? '/sign-in/operator' : '/sign-in'))
        }}
      >
        {(errors) => (
          <>
            {errors.token && <p class="notice bad">{errors.token.join(' ')}</p>}
            <NewPassword errors={errors} />
          </>
        )}
      </SignInForm>
    </Card>
  )
}

function Register() {
  const made = useSignal('')
  return (
    <Card title={t('register')}>
      {made.value ? (
        <p class="notice" role="status">
          {t('registered', { name: made.value })}
        </p>
      ) : (
        <SignInForm
          button={t('registerButton')}
          send={async (body) => {
            made.value = (await callBefore('/api/central/v1', 'post', '/public/register-workspace', { body })).data.workspace_name
          }}
        >
          {(errors) => (
            <>
              <TextField
                label={t('company')}
                errors={errors.company_name}
                name="company_name"
                autocomplete="organization"
                autofocus
                required
              />
              <TextField label={t('yourName')} errors={errors.owner_name} name="owner_name" autocomplete="name" required />
              <TextField label={t('email')} errors={errors.email} name="email" type="email" autocomplete="username" required />
              <NewPassword errors={errors} />
            </>
          )}
        </SignInForm>
      )}
      <nav class="onward" aria-label={t('goTo')}>
        <a href="/sign-in">{t('signIn')}</a>
      </nav>
    </Card>
  )
}

/** The page of signing in that the address names. */
export function SignInPages() {
  const [, , first = '', second = ''] = location.pathname.replace(/\/$/, '').split('/')
  const operator = first === 'operator'
  const page = operator ? second : first
  if (page === 'forgotten') return <Forgotten operator={operator} />
  if (page === 'invitation') return <Invitation operator={operator} />
  if (page === 'register') return <Register />
  return <SignIn operator={operator} />
}
