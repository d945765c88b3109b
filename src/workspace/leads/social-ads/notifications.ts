/** The platform's webhook, shared by all workspaces: verification of its address, and incoming notifications. */
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { Ctx, PublicCtx } from '#kernel/context.ts'
import { badRequest, forbidden, invalid, notFound, unauthenticated } from '#kernel/errors.ts'
import { type AuthStrategy, noAuth } from '#kernel/http/auth-strategies.ts'
import { parse } from '#kernel/http/input.ts'
import { sameBytes, sha256 } from '#kernel/secrets/secrets.ts'
import { enterWorkspace, isOpen } from '#kernel/tenancy/session.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { graphId } from './ad-platform.ts'
import { retrieval } from './retrieval.ts'

export const Challenge = z.object({
  'hub.mode': z.literal('subscribe', 'Must be subscribe.').describe('Always `subscribe`.'),
  'hub.verify_token': z
    .string()
    .max(500)
    .meta({ description: 'The token that the operator has told the ad platform.', examples: ['verify-me'] }),
  'hub.challenge': z
    .string()
    .max(500)
    .meta({ description: 'What is answered.', examples: ['1158201444'] }),
})

/** Returns the challenge to echo; 403 without the verify token configured at the platform. */
export function answerChallenge({ services }: PublicCtx, query: z.output<typeof Challenge>): string {
  const expected = services.config.SOCIAL_ADS_VERIFY_TOKEN
  if (!expected || !sameBytes(sha256(query['hub.verify_token']), sha256(expected)))
    throw forbidden('This is not the verify token.')
  return query['hub.challenge']
}

/** Verifies the platform's signature over the raw body with the app's secret. 401 if invalid; 404 where no app is configured. */
export const byPlatform: AuthStrategy<undefined> = {
  api: 'public',
  scheme: { header: 'X-Hub-Signature-256', description: '`sha256=<hex HMAC-SHA256 of the raw body>`, made with the app secret.' },
  authenticate(knock) {
    const secret = knock.origin.services.config.SOCIAL_ADS_APP_SECRET
    if (!secret) throw notFound('Social ads are not configured on this service.')
    const expected = `sha256=${createHmac('sha256', secret).update(knock.raw).digest('hex')}`
    if (!sameBytes(Buffer.from(expected), Buffer.from(String(knock.headers['x-hub-signature-256'] ?? ''))))
      throw unauthenticated('The signature is not right.')
    return noAuth.authenticate(knock)
  },
}

export const Received = z
  .object({ received: z.int().meta({ description: 'How many leads were told that are new.', examples: [1] }) })
  .meta({ id: 'ReceivedNotifications' })

const Notification = z.object({
  entry: z.array(z.object({ changes: z.array(z.object({ field: z.string(), value: z.unknown() })).optional() })),
})
const Leadgen = z.object({ leadgen_id: graphId(), page_id: graphId() })
type Leadgen = z.output<typeof Leadgen>

const MAX = 1000
const A_DAY = 24 * 3600

/**
 * Records the notified leads and queues their retrieval in each workspace subscribed to their page. A known lead is queued again
 * only if it failed, or has been pending for a day because its job ended while the workspace was closed.
 */
export async function receiveNotification(ctx: PublicCtx, raw: Buffer): Promise<z.input<typeof Received>> {
  const told = leadgensIn(raw)
  const workspaces = await subscribersOf(ctx, [...new Set(told.map(({ page_id }) => page_id))])
  let received = 0
  for (const [tenantId, pages] of workspaces)
    received += await enterWorkspace(ctx, tenantId, (within) =>
      note(
        within,
        told.filter(({ page_id }) => pages.has(page_id)),
      ),
    )
  return { received }
}

function leadgensIn(raw: Buffer): Leadgen[] {
  let body: unknown
  try {
    body = JSON.parse(raw.toString('utf8'))
  } catch {
    throw badRequest('The body must be JSON.')
  }
  const told = parse(Notification, body).entry.flatMap(({ changes = [] }) =>
    changes.flatMap(({ field, value }) => {
      const leadgen = field === 'leadgen' ? Leadgen.safeParse(value) : undefined
      return leadgen?.success ? [leadgen.data] : []
    }),
  )
  if (told.length > MAX) throw invalid({ entry: `Must tell of at most ${MAX} leads.` })
  return [...new Map(told.map((one) => [one.leadgen_id, one])).values()]
}

/**
 * Returns, for each open workspace, which of these pages it is subscribed to. Ordered by id to avoid deadlocks between two calls.
 */
async function subscribersOf(ctx: PublicCtx, pageIds: string[]) {
  if (!pageIds.length) return new Map<number, Set<string>>()
  const rows = await ctx.tx
    .selectFrom('lead_ad_pages as p')
    .innerJoin('lead_ad_connections as c', 'c.tenant_id', 'p.tenant_id')
    .innerJoin('tenants as t', 't.id', 'p.tenant_id')
    .select(['p.tenant_id', 'p.page_id'])
    .where('p.page_id', 'in', pageIds)
    .where('p.is_subscribed', '=', true)
    .where('c.is_enabled', '=', true)
    .where(isOpen('t'))
    .orderBy('p.tenant_id')
    .execute()
  const byTenant = Map.groupBy(rows, ({ tenant_id }) => tenant_id)
  return new Map([...byTenant].map(([tenantId, pages]) => [tenantId, new Set(pages.map(({ page_id }) => page_id))]))
}

async function note(ctx: Ctx, told: Leadgen[]): Promise<number> {
  if (!ctx.entitled('leads')) return 0
  const tenantId = ctx.tenant.id
  const stamps = { created_at: ctx.now, updated_at: ctx.now }
  const noted = await ctx.tx
    .insertInto('lead_ad_deliveries')
    .values(
      told.toSorted((a, b) => (a.leadgen_id < b.leadgen_id ? -1 : 1)).map((one) => ({ tenant_id: tenantId, ...one, ...stamps })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'leadgen_id'])
        .doUpdateSet({ outcome: 'pending', reason: null, updated_at: ctx.now })
        .where((eb) =>
          eb('lead_ad_deliveries.outcome', '=', 'failed').or(
            eb('lead_ad_deliveries.outcome', '=', 'pending').and(
              'lead_ad_deliveries.updated_at',
              '<',
              plusSeconds(ctx.now, -A_DAY),
            ),
          ),
        ),
    )
    .returning('id')
    .execute()
  await ctx.services.queue.sendAll(
    ctx,
    retrieval,
    noted.map(({ id }) => ({ tenantId, data: { delivery_id: id } })),
  )
  return noted.length
}
