/** The session of the dashboards: a signed cookie for their path alone, which no script reads and no other site's page makes a browser send. */
import { type BaseCtx, inPublic, onPlatform, platformAbilities } from '#kernel/context.ts'
import { forbidden, unauthenticated } from '#kernel/errors.ts'
import type { AuthStrategy } from '#kernel/http/auth-strategies.ts'
import { operatorOf, SESSION_SECONDS, sessionBehind } from '#platform/operations/public.ts'

const NAME = 'atrium_operations'

export const cookieOf = ({ services }: BaseCtx, session: string) =>
  [
    `${NAME}=${session}`,
    'Path=/operations',
    `Max-Age=${SESSION_SECONDS}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(services.config.BASE_URL.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')

const over = () => unauthenticated('Your session is over. Enter from the platform again.')

/** Lets in whoever has the cookie, as long as the session of the API behind it lasts and they may see the dashboards. */
export const byCookie: AuthStrategy<undefined> = {
  api: 'public',
  scheme: { header: 'Cookie', description: 'The session that a link of `GET /metrics-dashboard/enter` begins.' },
  async authenticate({ origin, headers }) {
    const [, cookie = ''] = new RegExp(`(?:^|; )${NAME}=([^;]+)`).exec(headers.cookie ?? '') ?? []
    const session = sessionBehind(origin.services, cookie)
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
