/** The redirects of short links (SL-24): the hottest path of all, so that none of it waits for a transaction. */
import { redirect } from '#kernel/http/answer.ts'
import { anybody, type Entrance } from '#kernel/http/entrances.ts'
import { limiter } from '#kernel/http/limits.ts'
import { by } from '#kernel/http/route.ts'
import { follow } from '#workspace/short-links/public.ts'
import { pages } from './page.ts'

/** Anybody, and where they come from. */
const visitor: Entrance<{ referrer: string | null }> = {
  api: 'public',
  scheme: 'none',
  enter: async (knock) => ({ ...(await anybody.enter(knock)), guest: { referrer: knock.headers.referer ?? null } }),
}

/** SL-30 */
const limit = limiter({ name: 'short-link-redirects', points: 120, seconds: 60, by: 'ip', inMemory: true })

export default [
  by(visitor).inSteps.get('/r/:code', { allow: 'anybody', limit, answer: 'text/html' }, async (steps, { code, guest }) => {
    const { services, now, request } = steps
    const end = await follow(services, code, { now, method: request.method, userAgent: request.userAgent || null, ...guest })
    return end.to === null ? pages[end.why](end.brand) : redirect(end.to)
  }),
]
