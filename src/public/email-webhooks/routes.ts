/**
 * Routes at the root of the service, as configured at providers: for all mails, or for those of one workspace. See
 * docs/configuration.md.
 */
import { z } from 'zod'
import { limiter } from '#kernel/http/limits.ts'
import { open } from '#kernel/http/route.ts'
import { receive } from './receiving.ts'

/** 600 requests a minute per IP address. */
const limit = limiter({ name: 'email-webhooks', points: 600, seconds: 60, by: 'ip' })

/** Query of Postmark, which may authenticate by a token in the address. */
const query = z.object({
  token: z.string().max(200).optional().catch(undefined).describe('The proof of a provider that sends it in the address.'),
})

/** Duplicate events count once, so an Idempotency-Key isn't needed. */
const spec = { allow: 'anybody', errors: [401], limit, query, raw: true, notIdempotent: true, message: 'Received.' } as const

export default [
  open.multiTransaction.post(
    '/webhooks/email/:provider',
    {
      ...spec,
      operation: 'receiveEmailEvents',
      description: 'Takes the events of a mail provider in the provider’s own format and proof: delivered, bounced, complained.',
      summary: 'Tell what became of mails',
    },
    (steps, { provider, ...request }) => receive(steps, provider, request),
  ),
  open.multiTransaction.post(
    '/webhooks/email/:provider/:slug',
    {
      ...spec,
      operation: 'receiveWorkspaceEmailEvents',
      description: 'Takes the events of a mail provider about the mails of one workspace.',
      summary: 'Tell what became of the mails of a workspace',
    },
    (steps, { provider, slug, ...request }) => receive(steps, provider, request, slug),
  ),
]
