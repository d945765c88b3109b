import { platform } from '#kernel/http/route.ts'
import { webhookRoutes } from '#kernel/webhooks/routes.ts'
import { feed } from './feed.ts'

export default webhookRoutes(platform, feed)
