/**
 * Session cookie of the dashboards: signed, limited to their path, not readable by scripts, and not sent from other sites' pages.
 */
import { type BaseCtx, inPublic, onPlatform, platformAbilities } from '#kernel/context.ts'
import { forbidden, unauthenticated } from '#kernel/errors.ts'
import type { AuthStrategy } from '#kernel/http/auth-strategies.ts'
import { cookieName, cookiesNamed, setCookie } from '#kernel/http/cookies.ts'
import { operatorOf, SESSION_SECONDS, sessionBehind } from '#platform/operations/public.ts'

const NAME = 'atrium_operations'

/** Returns the Set-Cookie header of a session. */
export const cookieOf = ({ services }: BaseCtx, session: string) =>
  setCookie(services.config, NAME, session, { path: '/operations', sameSite: 'Strict', seconds: SESSION_SECONDS })

const over = () => unauthenticated('Your session is over. Enter from the platform again.')

/** Authenticates by the cookie, as long as the underlying API session lasts and its user may see the dashboards. */
export const byCookie: AuthStrategy<undefined> = {
  api: 'public',
  scheme: { header: 'Cookie', description: 'The session that a link of `GET /metrics-dashboard/enter` begins.' },
  async authenticate({ origin, headers }) {
    const { services } = origin
    const [cookie = ''] = cookiesNamed(headers.cookie, cookieName(services.config, NAME))
    const session = sessionBehind(services, cookie)
    const actor = session === undefined ? undefined : await inPublic(origin, 'read', (ctx) => operatorOf(ctx, session))
    if (!actor) throw over()
    const site = headers['sec-fetch-site']
    if (!/^(GET|HEAD)$/.test(origin.request.method) && site !== undefined && site !== 'same-origin')
      throw forbidden('Only the dashboards do this.')
    const operator = { actor, permissions: new Set<string>() }
    return {
      key: `platform:${actor.id}`,
      abilities: platformAbilities(operator),
      run: (mode, work) => onPlatform(origin, operator, mode, work),
    }
  },
}
