import { z } from 'zod'
import { FeedMeta, FeedQuery, refuseStrange } from '#kernel/http/feed.ts'
import { platform } from '#kernel/http/route.ts'
import { PlatformEvent, readPlatformFeed } from './feed.ts'
import { platformEventTypes } from './telling.ts'

export default [
  platform.get(
    '/',
    {
      allow: 'signed-in',
      anyKey: true,
      writes: true,
      query: FeedQuery,
      reply: z.array(PlatformEvent),
      meta: FeedMeta,
      summary: 'Read the feed of events',
      description:
        'What happened on the platform, to workspaces, the catalogue and subscriptions, as far as you may see these, in order and without gaps, for 30 days: remember `meta.next_after` and send it as `after` next time. 410 where events behind `after` are no longer kept.',
    },
    async (ctx, { query }) => {
      await ctx.services.modules.routes() // loads all modules that declare events
      refuseStrange(query.types, platformEventTypes())
      return readPlatformFeed(ctx, query)
    },
  ),
]
