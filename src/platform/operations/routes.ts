import { z } from 'zod'
import { platform } from '#kernel/http/route.ts'
import { enter } from './access.ts'

const link = {
  allow: 'signed-in',
  reply: z.object({ url: z.url() }),
  writes: true,
  description: 'Needs one of the roles superadmin, developer and tester. The link opens once, within a minute.',
} as const

export default [
  platform.get('/metrics-dashboard/enter', link, (ctx) => enter(ctx, 'metrics')),
  platform.get('/queue-dashboard/enter', link, (ctx) => enter(ctx, 'queues')),
]
