/** Logs of gateway actions and of provider events. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { BaseCtx, PlatformCtx, PlatformSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Mode } from '#kernel/payment-providers/provider.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { hasWebhookSecret, providerOf, withoutSecrets } from './credentials.ts'
import { findGateway, type GatewayRow, gatewayOf } from './gateways.ts'
import { type GatewayAction, GatewayLog, type Tested, WebhookLog, type WebhookStatus } from './schema.ts'

export const gatewayLogs = listing(platformTable('payment_gateway_logs', GatewayLog), {
  hardDeleted: true,
  sorts: ['created_at', 'id', 'mode', 'action', 'is_success', 'message'],
  filters: { is_success: filter.flag('is_success') },
})

/** Events delivered by the gateways' providers. */
export const webhookLogs = listing(platformTable('payment_gateway_events', WebhookLog), {
  hardDeleted: true,
  sorts: ['created_at', 'id', 'mode', 'event_id', 'type', 'outcome', 'deliveries', 'occurred_at'],
  filters: { type: filter.text('type') },
})

/** Restricts either log to one gateway. */
export const ofGateway = (id: number) => ({ only: sql<boolean>`gateway_id = ${id}` })

interface Logged {
  action: GatewayAction
  /** Mode of the action; the gateway's current mode may differ. */
  mode: Mode
  isSuccess: boolean
  message: string
}

/** Logs a gateway action. Credentials are removed from the message. */
export async function logAction(ctx: BaseCtx, row: GatewayRow, { action, mode, isSuccess, message }: Logged) {
  await ctx.tx
    .insertInto('payment_gateway_logs')
    .values({
      gateway_id: row.id,
      mode,
      action,
      is_success: isSuccess,
      message: withoutSecrets(ctx.services, row, message),
      created_at: ctx.now,
    })
    .execute()
}

/** Verifies the credentials with the provider. 422 on `gateway` if there are none. */
export async function testConnection(steps: PlatformSteps, id: number): Promise<z.input<typeof Tested>> {
  const row = await steps.read((ctx) => findGateway(ctx, id))
  if (!row.is_configured) throw invalid({ gateway: `${row.name} needs its credentials first.` })
  const tested = await ask(steps, row)
  return steps.finish(async (ctx) => {
    await ctx.tx.updateTable('payment_gateways').set({ last_tested_at: ctx.now }).where('id', '=', id).execute()
    const { ok: isSuccess, message } = tested
    await logAction(ctx, row, { action: 'test-connection', mode: row.mode, isSuccess, message })
    return tested
  })
}

async function ask({ services }: PlatformSteps, row: GatewayRow) {
  try {
    const provider = await providerOf(services, row)
    if (!provider) return { ok: true, message: `${row.name} has no provider to connect to.` }
    return { ok: true, message: `Connected: ${await provider.test()}.` }
  } catch (error) {
    return { ok: false, message: withoutSecrets(services, row, (error as Error).message) }
  }
}

/** Returns the address for the provider's events, and when the last one arrived. */
export async function webhookStatus(ctx: PlatformCtx, id: number): Promise<z.input<typeof WebhookStatus>> {
  const row = await findGateway(ctx, id)
  if (!gatewayOf(row).hasWebhook) return { url: null, is_configured: false, last_received_at: null }
  const last = await ctx.tx
    .selectFrom('payment_gateway_events')
    .select('created_at')
    .where('gateway_id', '=', id)
    .where('mode', '=', row.mode)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return {
    url: `${ctx.services.config.BASE_URL}/webhooks/gateways/${row.code}`,
    is_configured: hasWebhookSecret(ctx.services, row),
    last_received_at: last?.created_at ?? null,
  }
}
