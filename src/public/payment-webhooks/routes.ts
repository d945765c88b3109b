/**
 * Provider webhooks are outside the versioned base path (BIL-13). They have no session that could be forged, so no CSRF token is
 * required.
 */
import { z } from 'zod'
import { limiter } from '#kernel/http/limits.ts'
import { open } from '#kernel/http/route.ts'
import { platformBrand } from '#kernel/modules/branding.ts'
import { openPaymentPage } from '#platform/billing/public.ts'
import { paymentPage } from './page.ts'
import { Received, receive } from './webhook.ts'

const limit = limiter({ name: 'provider-webhooks', points: 600, seconds: 60, by: 'ip' })
const pages = limiter({ name: 'payment-pages', points: 60, seconds: 60, by: 'ip' })
/** The event's id already protects against repetition. */
const signed = { allow: 'anybody', limit, raw: true, notIdempotent: true, reply: Received, message: 'Event received.' } as const

export default [
  open.post(
    '/payment-provider/webhook',
    {
      ...signed,
      operation: 'receiveStripeEvent',
      description: 'Takes Stripe’s events, whose `Stripe-Signature` is checked over the body’s very bytes. Each counts once.',
      summary: 'Tell of a payment at Stripe',
    },
    (ctx, { raw, headers }) => receive(ctx, 'stripe', raw, headers),
  ),
  open.post(
    '/webhooks/gateways/:code',
    {
      ...signed,
      operation: 'receivePaymentEvent',
      description: 'Takes the events of the gateway of that code, in its provider’s format and signature. Each counts once.',
      summary: 'Tell of a payment at a gateway’s provider',
    },
    (ctx, { code, raw, headers }) => receive(ctx, code, raw, headers),
  ),
  open.multiTransaction.get(
    '/pay/:token',
    {
      allow: 'anybody',
      limit: pages,
      query: z.object({ returned: z.literal('1', 'Must be 1.').optional().describe('1: back from the provider’s page.') }),
      answer: 'text/html',
      mayRedirect: 303,
      writes: true,
      operation: 'payInvoice',
      description: 'A page by which a workspace pays an invoice of the platform; it goes on to the gateway.',
      summary: 'Pay an invoice by its link',
    },
    async (steps, { token, query }) => {
      const opened = await openPaymentPage(steps, token, query.returned !== undefined)
      return paymentPage(opened, opened.url ? undefined : await steps.read(platformBrand))
    },
  ),
]
