/** At the root of the service, as providers are told it: for all mails, or for those of one workspace. */
import { limiter } from '#kernel/http/limits.ts'
import { open, type Route } from '#kernel/http/route.ts'
import { type Envelope, receive, withHeaders } from './receiving.ts'

/** 600 a minute by address. */
const limit = limiter({ name: 'provider-webhooks', points: 600, seconds: 60, by: 'ip' })

const spec = {
  allow: 'anybody',
  limit,
  raw: true,
  notIdempotent: true,
  message: 'Received.',
  description:
    'Providers: `postmark` (the secret as Basic password, `X-Webhook-Token` or `?token=`), `mailgun` (its signature), `ses` (an SNS topic), ' +
    '`generic` (`X-Service-Signature`; `{type, message_id, recipient?, permanent?, detail?, occurred_at?, id?}`, or up to 100 of them as `events`).',
} as const

const told = (
  path: '/webhooks/email/:provider' | '/webhooks/email/:provider/:slug',
  operation: string,
  summary: string,
): Route => ({
  ...open.inSteps.post(path, { ...spec, operation, summary }, (steps, { raw, guest, ...params }) =>
    receive(steps, params.provider, raw, guest as unknown as Envelope, (params as { slug?: string }).slug),
  ),
  entrance: withHeaders,
})

export default [
  told('/webhooks/email/:provider', 'receiveMailEvents', 'Tell what became of mails'),
  told('/webhooks/email/:provider/:slug', 'receiveMailEventsOfWorkspace', 'Tell what became of mails of a workspace'),
]
