import { messagesOf } from '#kernel/webhooks/messages.ts'
import { Event } from '#workspace/events/public.ts'
import { feed } from './feed.ts'

export default messagesOf(Event, feed)
