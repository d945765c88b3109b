import { platform } from '#kernel/http/route.ts'
import { dashboard } from './dashboard.ts'
import { Dashboard } from './schema.ts'

export default [
  platform.get(
    '/',
    {
      allow: 'dashboard.view',
      description: 'Answers workspaces, subscriptions and revenue in figures, and what happened last.',
      reply: Dashboard,
      summary: 'The platform’s figures',
    },
    (ctx) => dashboard(ctx),
  ),
]
