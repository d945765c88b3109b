/**
 * Log of deliveries to an endpoint, accepted or rejected with the reason: the newest thousand within 30 days. Without bodies or
 * credentials.
 */
import { z } from 'zod'
import type { BaseCtx, Ctx } from '#kernel/context.ts'
import type { HttpError } from '#kernel/errors.ts'
import { filter, listing, Paging, workspaceTable } from '#kernel/records/listing.ts'
import { view } from '#kernel/records/view.ts'
import { choice, instant, refId } from '#kernel/values/fields.ts'
import { plusSeconds } from '#kernel/values/time.ts'

const OUTCOMES = ['accepted', 'refused'] as const
const MAX = 1000
const DAYS = 30
const MAX_ERRORS = 4000

export const LeadWebhookDelivery = view('lead_webhook_deliveries', 'LeadWebhookDelivery', {
  id: z.int(),
  outcome: choice(OUTCOMES).describe('What became of the call.'),
  status: z.int().meta({ description: 'Of the reply.' }),
  reason: z
    .string()
    .nullable()
    .meta({ description: 'Why it was refused; null: it was not.', examples: ['The key is not right.'] }),
  errors: z
    .record(z.string(), z.array(z.string()))
    .nullable()
    .meta({
      description: 'What was wrong with its fields, by their names; null: nothing.',
      examples: [{ email: ['Must be an e-mail address.'] }],
    }),
  lead_id: refId('lead')
    .nullable()
    .meta({ description: 'Id of the lead that it became; null: none.', examples: [5] }),
  ip: z.string(),
  created_at: instant(),
})

export const DeliveryQuery = Paging.extend({ outcome: choice(OUTCOMES).optional() })

export const deliveryList = listing(workspaceTable('lead_webhook_deliveries', LeadWebhookDelivery), {
  filters: { endpoint_id: filter.id('endpoint_id'), outcome: filter.oneOf('outcome', OUTCOMES) },
  hardDeleted: true,
})

/** Endpoint that the log belongs to. */
export interface Logged {
  tenant_id: number
  endpoint_id: number
}

export const logAccepted = (ctx: BaseCtx, at: Logged, lead_id: number) =>
  log(ctx, at, { outcome: 'accepted', status: 201, lead_id, reason: null, errors: null })

export function logRefused(ctx: BaseCtx, at: Logged, { status, message, errors = {} }: HttpError) {
  const told = JSON.stringify(errors)
  const fits = told !== '{}' && told.length <= MAX_ERRORS
  return log(ctx, at, {
    outcome: 'refused',
    status,
    lead_id: null,
    reason: message.slice(0, 500),
    errors: fits ? told : null,
  })
}

/** Logs rejected unauthenticated calls, each kind at most once a minute, so that they can't displace other entries. */
export async function logStranger(ctx: BaseCtx, at: Logged, error: HttpError) {
  const lately = await ctx.tx
    .selectFrom('lead_webhook_deliveries')
    .select('id')
    .where('tenant_id', '=', at.tenant_id)
    .where('endpoint_id', '=', at.endpoint_id)
    .where('status', '=', error.status)
    .where('created_at', '>', plusSeconds(ctx.now, -60))
    .limit(1)
    .executeTakeFirst()
  if (!lately) await logRefused(ctx, at, error)
}

interface Entry {
  outcome: (typeof OUTCOMES)[number]
  status: number
  reason: string | null
  errors: string | null
  lead_id: number | null
}

async function log(ctx: BaseCtx, at: Logged, entry: Entry) {
  await ctx.tx
    .insertInto('lead_webhook_deliveries')
    .values({ ...at, ...entry, ip: ctx.request.ip, created_at: ctx.now })
    .execute()
  const surplus = ctx.tx
    .selectFrom('lead_webhook_deliveries')
    .select('id')
    .where('tenant_id', '=', at.tenant_id)
    .where('endpoint_id', '=', at.endpoint_id)
    .orderBy('id', 'desc')
    .offset(MAX)
    .limit(1)
  await ctx.tx
    .deleteFrom('lead_webhook_deliveries')
    .where('tenant_id', '=', at.tenant_id)
    .where('endpoint_id', '=', at.endpoint_id)
    .where('id', '<=', surplus)
    .execute()
}

/** Deletes entries past the retention. */
export const sweepDeliveries = (ctx: Ctx) =>
  ctx
    .deleteFrom('lead_webhook_deliveries')
    .where('created_at', '<', plusSeconds(ctx.now, -DAYS * 24 * 3600))
    .execute()
