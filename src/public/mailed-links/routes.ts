import { z } from 'zod'
import type { PublicCtx } from '#kernel/context.ts'
import { limiter } from '#kernel/http/limits.ts'
import { page } from '#kernel/http/page.ts'
import { open } from '#kernel/http/route.ts'
import { platformBrand } from '#kernel/modules/branding.ts'
import { form } from './page.ts'
import { confirmingPage, unsubscribedPage } from './unsubscribing.ts'

const html = { allow: 'anybody', answer: 'text/html' } as const

/** Both sides have the same links. Opening one uses nothing up: mail scanners open links too. */
function linksOf(surface: 'app' | 'platform', api: string) {
  const onward = ({ services: { config } }: PublicCtx) =>
    surface === 'app'
      ? [{ label: 'Go on to sign in', url: config.APP_URL }]
      : [{ label: 'Go on to the API of the platform', url: `${config.BASE_URL}/docs?api=platform` }]
  const forgotten = { label: 'Have a new link mailed', url: `/${surface}/forgot-password` }
  return [
    open.get(
      `/${surface}/verify-email`,
      { ...html, description: 'A page on which whoever has the mailed link proves an address.' },
      (ctx) =>
        form(ctx, {
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
      { ...html, description: 'A page on which whoever has the mailed link takes back a change of the address.' },
      (ctx) =>
        form(ctx, {
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
    open.get(`/${surface}/invite`, { ...html, description: 'A page on which whoever is invited chooses a password.' }, (ctx) =>
      form(ctx, {
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
      { ...html, description: 'A page on which whoever has the mailed link sets a new password.' },
      (ctx) =>
        form(ctx, {
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
      { ...html, description: 'A page on which somebody has a link mailed to set a new password.' },
      (ctx) =>
        form(ctx, {
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

/** Where mails lead to while no front end is served there, nor named by APP_URL. */
const noFrontEnd = open.get(
  '/app',
  {
    ...html,
    operation: 'openApplication',
    summary: 'Where a front end is',
    description: 'A page that says where the application is, where no front end is served here.',
  },
  async (ctx) => {
    const { APP_URL, BASE_URL } = ctx.services.config
    const elsewhere = APP_URL !== `${BASE_URL}/app`
    return page({
      title: elsewhere ? 'The application is elsewhere' : 'No application is served here',
      brand: await platformBrand(ctx),
      body: elsewhere
        ? '<p>This is the service behind it.</p>'
        : '<p>Sign in with the application of your firm. Whoever runs this service knows its address.</p>',
      onward: elsewhere
        ? [{ label: 'Go on to sign in', url: APP_URL }]
        : [
            { label: 'Forgot your password?', url: '/app/forgot-password' },
            { label: 'API reference', url: '/docs' },
          ],
    })
  },
)

/** Sixty a minute by address. */
const unsubscribing = {
  ...html,
  limit: limiter({ name: 'unsubscribing', points: 60, seconds: 60, by: 'ip' }),
} as const

/** What mail programs send (RFC 8058), as a form of either kind. Nothing of it is needed. */
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
  noFrontEnd,
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
