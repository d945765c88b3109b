import { open } from '#kernel/http/route.ts'
import { page } from './page.ts'

const html = { allow: 'anybody', file: 'text/html; charset=utf-8' } as const

/** Both sides have the same three links. Opening one uses nothing up: mail scanners open links too. */
const linksOf = (surface: 'app' | 'platform', api: string) => [
  open.get(`/${surface}/verify-email/:token`, html, () =>
    page({
      title: 'Verify your e-mail address',
      says: 'Confirm that this address is yours.',
      action: `${api}/auth/verify-email`,
      asks: [],
      button: 'Verify',
    }),
  ),
  open.get(`/${surface}/invite/:token`, html, () =>
    page({
      title: 'Welcome',
      says: 'Choose a password for your account.',
      action: `${api}/auth/accept-invite`,
      asks: ['password'],
      button: 'Begin',
    }),
  ),
  open.get(`/${surface}/reset-password/:token`, html, () =>
    page({
      title: 'Choose a new password',
      says: 'Say which account it is for.',
      action: `${api}/auth/reset-password`,
      asks: ['email', 'password'],
      button: 'Change the password',
    }),
  ),
]

export default [...linksOf('app', '/api/tenant/v1'), ...linksOf('platform', '/api/central/v1')]
