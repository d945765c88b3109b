import { z } from 'zod'
import { isConsoleUsed } from '#kernel/config.ts'
import type { PublicCtx } from '#kernel/context.ts'
import { redirect } from '#kernel/http/answer.ts'
import { limiter } from '#kernel/http/limits.ts'
import { page } from '#kernel/http/page.ts'
import { open } from '#kernel/http/route.ts'
import { platformBrand } from '#kernel/modules/branding.ts'
import { type Form, form as plainForm } from './page.ts'
import { confirmingPage, unsubscribedPage } from './unsubscribing.ts'

const html = { allow: 'anybody', answer: 'text/html' } as const
/** Pages that redirect to the console if people use it. */
const ofConsole = { ...html, mayRedirect: 302 } as const

/** Console page of each link. Browsers keep the fragment, which contains the secret, across the redirect. */
const CONSOLE = {
  'verify-email': 'verify',
  'cancel-email-change': 'keep-address',
  invite: 'invitation',
  'reset-password': 'reset',
  'forgot-password': 'forgotten',
} as const

/**
 * Routes of one realm's links. Opening one doesn't use it up, because mail scanners open links too. They redirect to the
 * console's pages; with a separate front end, they show plain ones.
 */
function linksOf(surface: 'app' | 'platform', api: string) {
  const form = async (ctx: PublicCtx, name: keyof typeof CONSOLE, of: Form) =>
    isConsoleUsed(ctx.services.config)
      ? redirect(`/sign-in/${surface === 'app' ? '' : 'operator/'}${CONSOLE[name]}`)
      : plainForm(ctx, of)
  const onward = ({ services: { config } }: PublicCtx) =>
    surface === 'app'
      ? [{ label: 'Go on to sign in', url: config.APP_URL }]
      : [{ label: 'Go on to the API of the platform', url: `${config.BASE_URL}/docs?api=platform` }]
  const forgotten = { label: 'Have a new link mailed', url: `/${surface}/forgot-password` }
  return [
    open.get(
      `/${surface}/verify-email`,
      { ...ofConsole, description: 'A page on which whoever has the mailed link proves an address.' },
      (ctx) =>
        form(ctx, 'verify-email', {
          title: 'Verify your e-mail address',
          says: 'Confirm that this address is yours.',
          action: `${api}/auth/verify-email`,
          asks: [],
          button: 'Verify',
          done: onward(ctx),
          otherwise: onward(ctx)[0],
          advice: 'Signed in, you can have a new link mailed.',
          picture: 'email_verify',
        }),
    ),
    open.get(
      `/${surface}/cancel-email-change`,
      { ...ofConsole, description: 'A page on which whoever has the mailed link takes back a change of the address.' },
      (ctx) =>
        form(ctx, 'cancel-email-change', {
          title: 'Keep your e-mail address',
          says: 'The address of your account stays what it was, and everybody is signed out.',
          action: `${api}/auth/cancel-email-change`,
          asks: [],
          button: 'Keep this address',
          done: [{ label: 'Choose a new password', url: `/${surface}/forgot-password` }],
          otherwise: { label: 'Choose a new password', url: `/${surface}/forgot-password` },
          picture: 'email_verify',
        }),
    ),
    open.get(
      `/${surface}/invite`,
      { ...ofConsole, description: 'A page on which whoever is invited chooses a password.' },
      (ctx) =>
        form(ctx, 'invite', {
          title: 'Welcome',
          says: 'Choose a password for your account.',
          action: `${api}/auth/accept-invite`,
          asks: ['password'],
          button: 'Begin',
          done: onward(ctx),
          advice: 'Ask whoever invited you for a new invitation.',
          picture: 'register',
        }),
    ),
    open.get(
      `/${surface}/reset-password`,
      { ...ofConsole, description: 'A page on which whoever has the mailed link sets a new password.' },
      (ctx) =>
        form(ctx, 'reset-password', {
          title: 'Choose a new password',
          says: 'Say which account it is for.',
          action: `${api}/auth/reset-password`,
          asks: ['email', 'password'],
          button: 'Change the password',
          done: onward(ctx),
          otherwise: forgotten,
          picture: 'reset_password',
        }),
    ),
    open.get(
      `/${surface}/forgot-password`,
      { ...ofConsole, description: 'A page on which somebody has a link mailed to set a new password.' },
      (ctx) =>
        form(ctx, 'forgot-password', {
          title: 'Forgot your password?',
          says: 'Say which account it is for. If there is one, a link to choose a new password is mailed to it.',
          action: `${api}/auth/forgot-password`,
          asks: ['email'],
          button: 'Mail me a link',
          done: onward(ctx),
          picture: 'reset_password',
        }),
    ),
  ]
}

/** Target of links in mails that name no workspace. */
const frontEnd = open.get(
  '/app',
  {
    ...ofConsole,
    operation: 'openApplication',
    summary: 'Where a front end is',
    description: 'Leads to the console, or to a page that says where the front end is that is used in its place.',
  },
  async (ctx) => {
    const { config } = ctx.services
    if (isConsoleUsed(config)) return redirect('/')
    return page({
      title: 'The application is elsewhere',
      brand: await platformBrand(ctx),
      body: '<p>This is the service behind it.</p>',
      onward: [{ label: 'Go on to sign in', url: config.APP_URL }],
    })
  },
)

/** Sixty requests a minute per IP address. */
const unsubscribing = {
  ...html,
  limit: limiter({ name: 'unsubscribing', points: 60, seconds: 60, by: 'ip' }),
} as const

/** Body sent by mail programs (RFC 8058), as a form of either encoding. It isn't needed. */
const OneClick = z.object({
  'List-Unsubscribe': z
    .string()
    .max(100)
    .optional()
    .meta({ description: '`One-Click`, as mail programs send it.', examples: ['One-Click'] }),
})

export default [
  ...linksOf('app', '/api/tenant/v1'),
  ...linksOf('platform', '/api/central/v1'),
  frontEnd,
  open.get(
    '/unsubscribe/:token',
    { ...unsubscribing, operation: 'openUnsubscribing', summary: 'Asks whether mails of a kind are to end' },
    (ctx, { token }) => confirmingPage(ctx, token),
  ),
  open.post(
    '/unsubscribe/:token',
    {
      ...unsubscribing,
      form: true,
      upload: {},
      body: OneClick,
      notIdempotent: true,
      operation: 'unsubscribe',
      summary: 'Ends mails of a kind',
      description: 'Ends mails of the kind that the link is of, in one click, as mail programs send it (RFC 8058).',
    },
    (ctx, { token }) => unsubscribedPage(ctx, token),
  ),
]
