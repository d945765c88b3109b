/** Sign-in pages: password, second factor, passkey, forgotten password, invitation, new workspace. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { safeNext } from '../addresses.ts'
import { ApiError, callBefore } from '../api.ts'
import { boot, type Realm } from '../boot.ts'
import { AskingForm, type Failure, failureOf } from '../parts/asking-form.tsx'
import { Check, TextField } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { t } from '../texts/texts.ts'

const query = new URLSearchParams(location.search)
const next = query.get('next')
const slugOf = (path: string | null | undefined) => /^\/w\/([a-z0-9-]+)/.exec(path ?? '')?.[1]
/** Workspace to sign in to: from the destination's address, or from the page's own host. */
const nextSlug = slugOf(next) ?? slugOf(boot.own?.path)

const EmailField = ({ errors, autofocus }: { errors: readonly string[] | undefined; autofocus?: boolean }) => (
  <TextField
    label={t('email')}
    errors={errors}
    name="email"
    type="email"
    autocomplete="username"
    autofocus={autofocus}
    required
  />
)

/** Requests a passkey of this host and signs in with it. */
async function signInByPasskey(api: Realm['api']) {
  const { data } = await callBefore(api, 'get', '/auth/passkeys/login/options')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(data.options)
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
  return callBefore(api, 'post', '/auth/passkeys/login', {
    body: { options_token: data.options_token, credential: credential.toJSON() },
  })
}

interface Choice {
  sent: { email: string; password: string; remember: boolean; workspace?: string }
  workspaces: { slug: string; name: string }[]
}

/** Choice for users with the same email address and password in several workspaces. */
function Workspaces({ choice, choose }: { choice: Choice; choose: (sent: Choice['sent']) => Promise<void> }) {
  const failed = useSignal('')
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => first.current?.focus(), [])
  return (
    <section class="choice" aria-label={t('chooseWorkspace')}>
      <h2>{t('chooseWorkspace')}</h2>
      <div role="alert">{failed.value && <p class="notice bad">{failed.value}</p>}</div>
      {choice.workspaces.map(({ slug, name }, n) => (
        <button
          key={slug}
          ref={n ? undefined : first}
          class="wide"
          type="button"
          onClick={() =>
            void choose({ ...choice.sent, workspace: slug }).catch((error) => (failed.value = failureOf(error).message))
          }
        >
          {name}
        </button>
      ))}
    </section>
  )
}

/**
 * Forms that create a session: password, then the second factor if any. `done` gets the destination. `workspace` is preselected;
 * otherwise the user chooses where several know the address.
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
  const asked = useSignal<Choice | undefined>(undefined)
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
  const byPassword = async (body: Choice['sent']) => {
    try {
      finish(await callBefore(api, 'post', '/auth/login', { body }))
    } catch (error) {
      const { workspaces = [] } = ((error instanceof ApiError && error.data) || {}) as Partial<Choice>
      if (!workspaces.length) throw error
      asked.value = { sent: body, workspaces }
    }
  }
  if (asked.value && !challenge.value) return <Workspaces choice={asked.value} choose={byPassword} />
  if (challenge.value)
    return (
      <AskingForm
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
      </AskingForm>
    )
  return (
    <>
      <AskingForm
        key="password"
        button={t('signIn')}
        send={({ email, password, remember }) =>
          byPassword({ email: email!, password: password!, remember: remember === 'on', ...(workspace ? { workspace } : {}) })
        }
      >
        {(errors) => (
          <>
            <EmailField errors={errors.email} autofocus />
            <TextField
              label={t('password')}
              errors={errors.password}
              name="password"
              type="password"
              autocomplete="current-password"
              required
            />
            <Check label={t('remember')} name="remember" />
          </>
        )}
      </AskingForm>
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

type Picture = 'login' | 'register' | 'forgot_password' | 'reset_password' | 'email_verify'

function Card({
  title,
  says,
  picture,
  children,
}: {
  title: string
  says?: string
  /** The platform's picture for this page, if any. */
  picture: Picture
  children: ComponentChildren
}) {
  const { logo_url, [`auth_image_${picture}_url` as const]: image, support_email } = boot.platform ?? {}
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${boot.name}`
    if (!document.querySelector('[autofocus]')) heading.current?.focus()
  }, [title])
  return (
    <main class="card">
      {image && <img class="picture" src={image} alt="" />}
      <p class="product">{logo_url ? <img src={logo_url} alt={boot.name} height="40" /> : boot.name}</p>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {says && <p class="quiet">{says}</p>}
      {children}
      {support_email && <p class="quiet foot">{t('help', { email: support_email })}</p>}
    </main>
  )
}

/** Notice on pages that mail a link, where mail isn't delivered: names who can help, and discloses nothing about accounts. */
const NotDelivered = () => (boot.platform && !boot.platform.is_mail_delivered ? <p class="notice">{t('notDelivered')}</p> : null)

const nameOf = (path: string) => (path === '/operator' ? t('operator') : path.split('/')[2]!)
const withNext = (path: string) => (next ? `${path}?next=${encodeURIComponent(next)}` : path)

function SignIn({ operator }: { operator: boolean }) {
  const others = boot.recent.filter((path) => (path === '/operator') === operator)
  return (
    <Card
      picture="login"
      title={operator ? `${t('signIn')} · ${t('operator')}` : nextSlug ? t('signInTo', { name: nextSlug }) : t('signIn')}
    >
      <Credentials
        api={operator ? '/api/central/v1' : '/api/tenant/v1'}
        workspace={operator ? undefined : nextSlug}
        done={(to) => location.assign(safeNext(to.replace(/\/$/, ''), next))}
      />
      <nav class="onward" aria-label={t('goTo')}>
        <a href={`/sign-in${operator ? '/operator' : ''}/forgotten`}>{t('forgotten')}</a>
        {nextSlug && !boot.own && <a href="/sign-in">{t('otherWorkspace')}</a>}
        {!operator && !boot.own && boot.platform?.registration_enabled && <a href="/sign-in/register">{t('register')}</a>}
        {!next && others.map((path) => <a href={`${path}/`}>{t('goOnIn', { name: nameOf(path) })}</a>)}
        {operator ? (
          <a href="/sign-in">{t('signInToWorkspace')}</a>
        ) : (
          !next && !boot.own && <a href={withNext('/sign-in/operator')}>{t('signInAsOperator')}</a>
        )}
      </nav>
    </Card>
  )
}

function Forgotten({ operator }: { operator: boolean }) {
  const told = useSignal('')
  return (
    <Card picture="forgot_password" title={t('forgottenTitle')} says={t('forgottenSays')}>
      <NotDelivered />
      {told.value ? (
        <p class="notice" role="status">
          {told.value}
        </p>
      ) : (
        <AskingForm
          button={t('forgottenButton')}
          send={async ({ email }) => {
            told.value = (
              await callBefore(operator ? '/api/central/v1' : '/api/tenant/v1', 'post', '/auth/forgot-password', {
                body: { email },
              })
            ).message
          }}
        >
          {(errors) => <EmailField errors={errors.email} autofocus />}
        </AskingForm>
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

interface Link {
  title: string
  says: string
  button: string
  path: string
  picture: Picture
  asks?: ('email' | 'password')[]
  /** Alternative when the link has expired. */
  otherwise?: 'forgotten'
}

/** Mailed links, by the last part of the page's address. */
const links: Record<string, Link> = {
  invitation: {
    title: t('invitationTitle'),
    says: t('invitationSays'),
    button: t('invitationButton'),
    path: '/auth/accept-invite',
    picture: 'register',
    asks: ['password'],
  },
  reset: {
    title: t('resetTitle'),
    says: t('resetSays'),
    button: t('resetButton'),
    path: '/auth/reset-password',
    picture: 'reset_password',
    asks: ['email', 'password'],
    otherwise: 'forgotten',
  },
  verify: {
    title: t('verifyTitle'),
    says: t('verifySays'),
    button: t('verifyButton'),
    path: '/auth/verify-email',
    picture: 'email_verify',
  },
  'keep-address': {
    title: t('keepTitle'),
    says: t('keepSays'),
    button: t('keepButton'),
    path: '/auth/cancel-email-change',
    picture: 'email_verify',
    otherwise: 'forgotten',
  },
}

/**
 * Page of a mailed link. Its token follows `#`, so that no server sees it in the address. Opening the page doesn't use up the
 * link.
 */
function ByLink({ link, operator }: { link: Link; operator: boolean }) {
  const { title, says, button, path, picture, asks = [], otherwise } = link
  const told = useSignal('')
  const signIn = `/sign-in${operator ? '/operator' : ''}`
  if (told.value)
    return (
      <Card key="done" picture={picture} title={title}>
        <p class="notice" role="status">
          {told.value}
        </p>
        <a class="button primary wide" href={signIn}>
          {t('signIn')}
        </a>
      </Card>
    )
  return (
    <Card picture={picture} title={title} says={says}>
      <AskingForm
        button={button}
        send={async (values) => {
          const { data, message } = await callBefore(operator ? '/api/central/v1' : '/api/tenant/v1', 'post', path, {
            body: { ...values, token: location.hash.slice(1) },
          })
          if (data?.to) location.assign(data.to)
          else told.value = message
        }}
      >
        {(errors) => (
          <>
            {errors.token && (
              <p class="notice bad" role="alert">
                {errors.token.join(' ')} {otherwise ? <a href={`${signIn}/${otherwise}`}>{t('newLink')}</a> : t('askAgain')}
              </p>
            )}
            {asks.includes('email') && <EmailField errors={errors.email} />}
            {asks.includes('password') && <NewPassword errors={errors} />}
          </>
        )}
      </AskingForm>
      <nav class="onward" aria-label={t('goTo')}>
        <a href={signIn}>{t('signIn')}</a>
      </nav>
    </Card>
  )
}

function Register() {
  const made = useSignal('')
  return (
    <Card picture="register" title={t('register')}>
      {made.value ? (
        <p class="notice" role="status">
          {t(boot.platform?.is_mail_delivered === false ? 'registeredUnmailed' : 'registered', { name: made.value })}
        </p>
      ) : (
        <AskingForm
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
              <EmailField errors={errors.email} />
              <NewPassword errors={errors} />
            </>
          )}
        </AskingForm>
      )}
      <nav class="onward" aria-label={t('goTo')}>
        <a href="/sign-in">{t('signIn')}</a>
      </nav>
    </Card>
  )
}

/** Sign-in page for the current address. */
export function SignInPages() {
  const [, , first = '', second = ''] = location.pathname.replace(/\/$/, '').split('/')
  const operator = first === 'operator'
  const page = operator ? second : first
  if (page === 'forgotten') return <Forgotten operator={operator} />
  const link = links[page]
  if (link) return <ByLink link={link} operator={operator} />
  if (page === 'register') return <Register />
  return <SignIn operator={operator} />
}
