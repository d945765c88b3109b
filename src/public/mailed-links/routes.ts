import { open } from '#kernel/http/route.ts'
import { form } from './page.ts'

const html = { allow: 'anybody', answer: 'text/html' } as const

/** Both sides have the same links. Opening one uses nothing up: mail scanners open links too. */
const linksOf = (surface: 'app' | 'platform', api: string) => [
  open.get(`/${surface}/verify-email`, html, (ctx) =>
    form(ctx, {
      title: 'Verify your e-mail address',
      says: 'Confirm that this address is yours.',
      action: `${api}/auth/verify-email`,
      asks: [],
      button: 'Verify',
      picture: 'email_verify',
    }),
  ),
  open.get(`/${surface}/cancel-email-change`, html, (ctx) =>
    form(ctx, {
      title: 'Keep your e-mail address',
      says: 'The address of your account stays what it was, and everybody is signed out.',
      action: `${api}/auth/cancel-email-change`,
      asks: [],
      button: 'Keep this address',
      picture: 'email_verify',
    }),
  ),
  open.get(`/${surface}/invite`, html, (ctx) =>
    form(ctx, {
      title: 'Welcome',
      says: 'Choose a password for your account.',
      action: `${api}/auth/accept-invite`,
      asks: ['password'],
      button: 'Begin',
      picture: 'register',
    }),
  ),
  open.get(`/${surface}/reset-password`, html, (ctx) =>
    form(ctx, {
      title: 'Choose a new password',
      says: 'Say which account it is for.',
      action: `${api}/auth/reset-password`,
      asks: ['email', 'password'],
      button: 'Change the password',
      picture: 'reset_password',
    }),
  ),
]

export default [...linksOf('app', '/api/tenant/v1'), ...linksOf('platform', '/api/central/v1')]
