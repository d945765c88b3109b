import { limiter } from '#kernel/http/limits.ts'
import { open } from '#kernel/http/route.ts'
import { modulesNow, PublicModules } from './modules.ts'
import { Stats, statsNow } from './stats.ts'

const limit = limiter({ name: 'public-marketing', points: 120, seconds: 60, by: 'ip' })

export default [
  open.get(
    '/stats',
    {
      allow: 'anybody',
      description: 'Answers figures of the platform for its web site, as they are at that moment.',
      limit,
      reply: Stats,
    },
    (ctx) => statsNow(ctx),
  ),
  open.get(
    '/modules',
    {
      allow: 'anybody',
      description: 'Answers the modules that are on sale, with their prices, for the platform’s web site.',
      limit,
      reply: PublicModules,
    },
    (ctx) => modulesNow(ctx),
  ),
]
