import { z } from 'zod'
import { platform } from '#kernel/http/route.ts'
import { enter } from './access.ts'

const link = {
  allow: 'signed-in',
  verified: true,
  noKeys: true,
  reply: z.object({ url: z.url() }),
  writes: true,
  description:
    'Answers a link that opens the dashboard once, within a minute. For platform users with the role superadmin, developer or tester.',
} as const

export default [
  platform.get(
    '/metrics-dashboard/enter',
    { ...link, operation: 'enterMetricsDashboard', summary: 'Get a link to the charts' },
    (ctx) => enter(ctx, 'metrics'),
  ),
  platform.get(
    '/queue-dashboard/enter',
    { ...link, operation: 'enterQueueDashboard', summary: 'Get a link to the queues' },
    (ctx) => enter(ctx, 'queues'),
  ),
]
