import { messagesOf } from '#kernel/webhooks/messages.ts'
import { PlatformEvent } from '#platform/events/public.ts'
import { feed } from './feed.ts'

export default messagesOf(PlatformEvent, feed)
