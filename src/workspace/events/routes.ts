import { z } from 'zod'
import { FeedMeta, FeedQuery } from '#kernel/http/feed.ts'
import { workspace } from '#kernel/http/route.ts'
import { checkTypes, Event, readFeed } from './feed.ts'

export default [
  workspace.get(
    '/',
    {
      allow: 'signed-in',
      anyKey: true,
      grants: false,
      writes: true,
      query: FeedQuery,
      reply: z.array(Event),
      meta: FeedMeta,
      summary: 'Read the feed of events',
      description:
        'What happened to the records that you may see, in order and without gaps, for 30 days: remember `meta.next_after` and send it as `after` next time. 410 where events behind `after` are no longer kept.',
    },
    async (ctx, { query }) => {
      await checkTypes(ctx, query.types)
      return readFeed(ctx, query)
    },
  ),
]
