/** Redirects of short links (SL-24). This is the hottest path, so it never waits for a transaction. */
import { redirect } from '#kernel/http/answer.ts'
import { limiter } from '#kernel/http/limits.ts'
import { open } from '#kernel/http/route.ts'
import { follow } from '#workspace/short-links/public.ts'
import { pages } from './page.ts'

/** SL-30 */
const limit = limiter({ name: 'short-link-redirects', points: 120, seconds: 60, by: 'ip', inMemory: true })

export default [
  open.multiTransaction.get(
    '/r/:code',
    {
      allow: 'anybody',
      limit,
      answer: 'redirect',
      operation: 'followShortLink',
      description:
        'Sends a browser on to the link’s destination with its UTM parameters, and with the query of this address where the link hands it on (`forwards_query`), and counts the click. A page says why where it can’t.',
      summary: 'Follow a short link',
    },
    async (steps, { code, headers }) => {
      const { services, now, request } = steps
      const [, query = ''] = /\?([^#]*)/.exec(request.url) ?? []
      const visit = {
        now,
        method: request.method,
        query,
        referrer: headers.referer ?? null,
        userAgent: request.userAgent || null,
      }
      const end = await follow(services, code, visit)
      return end.to === null ? pages[end.why](end.brand) : redirect(end.to)
    },
  ),
]
