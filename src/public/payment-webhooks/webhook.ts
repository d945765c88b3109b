/** A provider's webhook: checked by its signature, logged and taken in one transaction, so that what was acknowledged is done. */
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { PublicCtx } from '#kernel/context.ts'
import { settle } from '#platform/billing/public.ts'
import { receiveEvent } from '#platform/payment-gateways/public.ts'

export const Received = z
  .object({ received: z.literal(true).describe('Always true: the event was taken.') })
  .meta({ id: 'ReceivedPaymentEvent' })

/** Takes an event; one that was here before, or is about nothing of ours, is acknowledged all the same. 404 and 400 as the gateway says. */
export async function receive(ctx: PublicCtx, code: string, raw: Buffer, headers: IncomingHttpHeaders) {
  const news = await receiveEvent(ctx, code, raw, headers)
  if (news) await settle(ctx, news)
  return { received: true } as const
}
