/** Pages of short links without a destination. */
import { page } from '#kernel/http/page.ts'

const onward = (name: string) => [{ label: `Go on to ${name}`, url: '/' }]

export const pages = {
  /** SL-28. Doesn't reveal the reason: mistyped, paused, expired or deleted. */
  missing: (name: string) =>
    page({
      status: 404,
      title: 'This link leads nowhere',
      brand: { name },
      body: '<p>It may have been mistyped, or it is not in use any more.</p>',
      onward: onward(name),
    }),
  /** SL-29 */
  closed: (name: string) =>
    page({
      status: 403,
      title: 'This link is not available',
      brand: { name },
      body: '<p>Whoever made it can’t use short links at the moment.</p>',
      onward: onward(name),
    }),
}
