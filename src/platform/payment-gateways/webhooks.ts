/** Events of providers: checked on their very bytes, and taken once each, however often they are delivered. */
import type { IncomingHttpHeaders } from 'node:http'
import { sql } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { badRequest, notFound } from '#kernel/errors.ts'
import type { ProviderEvent } from '#kernel/payment-providers/provider.ts'
import { providerOf } from './credentials.ts'
import { type GatewayRow, gatewayCalled, gatewayOf } from './gateways.ts'

/**
 * Reads and logs an event of a gateway. Gives what it tells of a payment; nothing when it tells of none of ours, or has been here
 * before. 404 for a gateway that has no webhook, 400 for what its provider has not signed.
 */
export async function receiveEvent(ctx: BaseCtx, code: string, raw: Buffer, headers: IncomingHttpHeaders) {
  const row = await gatewayCalled(ctx, code)
  if (!gatewayOf(row).hasWebhook) throw notFound('This payment gateway has no webhook.')
  const read = await readSigned(ctx, row, raw, headers)
  if (!read) throw badRequest('The signature is missing, wrong or too old.')
  return (await isNew(ctx, row, read)) ? read.event.news : undefined
}

type Read = { event: ProviderEvent; mode: GatewayRow['mode'] }

/** By the mode at hand, or by the other one: its payments may still be under way. */
async function readSigned(
  { services, now }: BaseCtx,
  row: GatewayRow,
  raw: Buffer,
  headers: IncomingHttpHeaders,
): Promise<Read | undefined> {
  for (const mode of row.mode === 'live' ? (['live', 'sandbox'] as const) : (['sandbox', 'live'] as const)) {
    const event = (await providerOf(services, row, mode))?.readEvent(raw, headers, now)
    if (event) return { event, mode }
  }
  return undefined
}

/** Whoever inserts it first is the one who acts on it; the same event at the same time waits for that one's end. */
async function isNew({ tx, now }: BaseCtx, row: GatewayRow, { event, mode }: Read) {
  const { id: event_id, type, occurred_at, news } = event
  const logged = await tx
    .insertInto('payment_gateway_events')
    .values({ gateway_id: row.id, mode, event_id, type, occurred_at, outcome: news ? 'processed' : 'ignored', created_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['gateway_id', 'mode', 'event_id'])
        .doUpdateSet((eb) => ({ deliveries: eb('payment_gateway_events.deliveries', '+', 1) })),
    )
    .returning(sql<boolean>`deliveries = 1`.as('is_new'))
    .executeTakeFirstOrThrow()
  return logged.is_new
}
