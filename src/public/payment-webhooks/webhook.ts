/** Webhook of a payment provider: verified, logged and applied in one transaction, so that an acknowledged event is done. */
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { PublicCtx } from '#kernel/context.ts'
import { settle } from '#platform/billing/public.ts'
import { receiveEvent } from '#platform/payment-gateways/public.ts'

export const Received = z
  .object({ received: z.literal(true).describe('Always true: the event was taken.') })
  .meta({ id: 'ReceivedPaymentEvent' })

/**
 * Receives an event. Duplicates and events unrelated to our payments are acknowledged too. 404 and 400 as `receiveEvent` throws
 * them.
 */
export async function receive(ctx: PublicCtx, code: string, raw: Buffer, headers: IncomingHttpHeaders) {
  const news = await receiveEvent(ctx, code, raw, headers)
  if (news) await settle(ctx, news)
  return { received: true } as const
}
