import { platform } from '#kernel/http/route.ts'
import { dashboard } from './dashboard.ts'
import { Dashboard } from './schema.ts'

export default [
  platform.get('/', { allow: 'dashboard.view', reply: Dashboard, summary: 'The platform’s figures' }, (ctx) => dashboard(ctx)),
]
