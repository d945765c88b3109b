import { limiter } from '#kernel/http/limits.ts'
import { open } from '#kernel/http/route.ts'
import { modulesNow, PublicModules } from './modules.ts'
import { Stats, statsNow } from './stats.ts'

const limit = limiter({ name: 'public-marketing', points: 120, seconds: 60, by: 'ip' })

export default [
  open.get('/stats', { allow: 'anybody', limit, reply: Stats }, (ctx) => statsNow(ctx)),
  open.get('/modules', { allow: 'anybody', limit, reply: PublicModules }, (ctx) => modulesNow(ctx)),
]
