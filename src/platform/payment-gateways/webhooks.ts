/** Provider events: verified on their raw bytes, and processed once, however often they are delivered. */
import type { IncomingHttpHeaders } from 'node:http'
import { sql } from 'kysely'
import type { BaseCtx } from '#kernel/context.ts'
import { badRequest, notFound } from '#kernel/errors.ts'
import type { ProviderEvent } from '#kernel/payment-providers/provider.ts'
import { providerOf } from './credentials.ts'
import { type GatewayRow, gatewayCalled, gatewayOf } from './gateways.ts'

/**
 * Verifies and logs a provider's event. Returns its payment event; undefined if it doesn't concern our payments or was received
 * before. 404 for a gateway without webhook, 400 for an invalid signature.
 */
export async function receiveEvent(ctx: BaseCtx, code: string, raw: Buffer, headers: IncomingHttpHeaders) {
  const row = await gatewayCalled(ctx, code)
  if (!gatewayOf(row).hasWebhook) throw notFound('This payment gateway has no webhook.')
  const read = await readSigned(ctx, row, raw, headers)
  if (!read) throw badRequest('The signature is missing, wrong or too old.')
  return (await isNew(ctx, row, read)) ? read.event.news : undefined
}

type Read = { event: ProviderEvent; mode: GatewayRow['mode'] }

/** Verifies with the current mode's secret, then the other mode's: its payments may still be pending. */
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

/** Inserts the event. The first insert processes it; a concurrent one waits for its end. */
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
