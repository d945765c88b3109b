/** What is seen where a short link leads nowhere. */
import type { Answer } from '#kernel/http/answer.ts'
import { page } from '#kernel/http/page.ts'

/** SL-28. It doesn't say which: paused, expired, deleted or never there. */
export const missingPage = (name: string): Answer =>
  page({
    status: 404,
    title: 'This link leads nowhere',
    brand: { name },
    body: '<p>It may have been mistyped, or it is not in use any more.</p>',
  })

/** SL-29 */
export const closedPage = (name: string): Answer =>
  page({
    status: 403,
    title: 'This link is not available',
    brand: { name },
    body: '<p>Whoever made it can’t use short links at the moment.</p>',
  })
