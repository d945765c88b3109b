import { z } from 'zod'
import { limiter } from '#kernel/http/limits.ts'
import { workspace } from '#kernel/http/route.ts'
import { Group, searchAll } from './searching.ts'

const searches = limiter({ name: 'search', points: 120, seconds: 60, by: 'user', inMemory: true })

const Query = z.object({
  q: z
    .string('Must be a text.')
    .trim()
    .min(3, 'Must have at least 3 characters.')
    .max(200, 'Must be at most 200 characters.')
    .meta({ description: 'What is looked for: a part of a text, whatever its case.', examples: ['nord'] })
    .transform((term) => term.replace(/\s+/g, ' ')),
})

export default [
  workspace.get(
    '/',
    {
      allow: 'signed-in',
      anyKey: true,
      limit: searches,
      query: Query,
      reply: z.array(Group),
      operation: 'searchRecords',
      summary: 'Search all records',
      description:
        'Looks in every kind of record that is searched by its own text and that the caller may see, and answers the newest matches of each kind that has some: at most five of one.',
    },
    (ctx, { query }) => searchAll(ctx, query.q),
  ),
]
