import { z } from 'zod'
import { workspace } from '#kernel/http/route.ts'
import { Event, FeedMeta, readFeed } from './feed.ts'

const MAX_PAGE = 1000

const FeedQuery = z.object({
  after: z
    .string()
    .regex(/^\d{1,15}$/, 'Must be the id of an event.')
    .meta({
      override: { type: 'integer', minimum: 0, pattern: undefined },
      description: 'The id of the last event that you have.',
    })
    .transform(Number)
    .optional(),
  types: z
    .string()
    .max(2000)
    .meta({ description: 'Types, separated by commas: `invoice.paid,vendor.*`.' })
    .transform((text) => [...new Set(text.split(',').map((type) => type.trim()))].filter((type) => type))
    .optional(),
  limit: z
    .string()
    .regex(/^\d{1,6}$/, 'Must be a whole number.')
    .meta({
      override: { type: 'integer', minimum: 1, maximum: MAX_PAGE, pattern: undefined },
      description: `How many events are answered at most, up to ${MAX_PAGE}.`,
    })
    .transform((n) => Math.min(Math.max(Number(n), 1), MAX_PAGE))
    .default(100),
})

export default [
  workspace.get(
    '/',
    {
      allow: 'signed-in',
      anyKey: true,
      writes: true,
      query: FeedQuery,
      reply: z.array(Event),
      meta: FeedMeta,
      summary: 'Read the feed of events',
      description:
        'What happened to the records that you may see, in order and without gaps, for 30 days: remember `meta.next_after` and send it as `after` next time. 410 where events behind `after` are no longer kept.',
    },
    (ctx, { query }) => readFeed(ctx, query),
  ),
]
