/** Webhook deliveries: creation from events, test messages, retries and replays. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx } from '../context.ts'
import { invalid, notFound } from '../errors.ts'
import { filter, type ListQuery, listing, workspaceTable } from '../records/listing.ts'
import { readOne } from '../records/view.ts'
import { type Endpoint, endpoints } from './endpoints.ts'
import { bodyOf } from './messages.ts'
import { type Replay, statuses, WebhookDelivery } from './schema.ts'
import { attempt, type Delivery, leased } from './sending.ts'
import { type Feed, type FeedEvent, type SideSteps, systemTransactions } from './side.ts'

/** Number of events that a replay reads at once. */
const BATCH = 500
const MAX_REPLAYED = 10_000

export const deliveryList = listing(workspaceTable('webhook_deliveries', WebhookDelivery), {
  sorts: ['created_at'],
  hardDeleted: true,
  filters: { status: filter.oneOf('status', statuses), type: filter.text('type') },
})

/** Returns a page of the deliveries to an endpoint. */
export const deliveriesOf = (ctx: Ctx, endpointId: number, query: ListQuery) =>
  deliveryList.page(ctx, query, { only: sql`webhook_deliveries.endpoint_id = ${endpointId}` })

/** Endpoints with the same creator, types and position, which receive the same bodies. */
export interface EndpointGroup {
  ids: number[]
  position: number
  /** Maximum number of events that become deliveries, per endpoint. */
  limit: number
}

/**
 * Turns the next events of endpoints into deliveries, in a context of their creator. Each body is built once for all of them.
 * Returns whether there is more. Rows locked by another process are skipped.
 */
export async function takeEvents(feed: Feed, ctx: Ctx, { ids, position, limit }: EndpointGroup): Promise<boolean> {
  const locked = await ctx
    .from('webhook_endpoints')
    .select(['id', 'types'])
    .where('id', 'in', ids)
    .where('is_active', '=', true)
    .where('position', '=', position)
    .orderBy('id')
    .forUpdate()
    .skipLocked()
    .execute()
  if (!locked.length) return false
  const { types } = locked[0]!
  const alike = locked.filter((endpoint) => endpoint.types.join() === types.join()).map(({ id }) => id)
  const { data, meta } = await feed.read(ctx, { after: position, types: someOf(types), limit })
  await queueDeliveries(ctx, alike, data)
  await ctx.update('webhook_endpoints').set({ position: meta.next_after }).where('id', 'in', alike).execute()
  return meta.has_more
}

/** Returns types for a feed's query: an empty list means all. */
const someOf = (types: string[] | undefined) => (types?.length ? types : undefined)

/** Inserts deliveries of events to endpoints; existing ones stay unchanged. Returns the number of new ones. */
async function queueDeliveries(ctx: Ctx, endpointIds: number[], events: FeedEvent[]): Promise<number> {
  if (!events.length) return 0
  const { rows } = await sql`
    insert into webhook_deliveries (tenant_id, endpoint_id, event_id, type, body, next_attempt_at, created_at, updated_at)
    select ${ctx.tenant.id}::bigint, endpoint.id, event.id, event.type, event.body,
      ${ctx.now}::timestamptz, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz
    from unnest(${endpointIds}::bigint[]) as endpoint (id)
    cross join unnest(${events.map(({ id }) => id)}::bigint[], ${events.map(({ type }) => type)}::text[], ${events.map(bodyOf)}::text[])
      as event (id, type, body)
    order by event.id, endpoint.id
    on conflict (tenant_id, endpoint_id, event_id) where event_id is not null do nothing
    returning id`.execute(ctx.tx)
  return rows.length
}

/** Sends a message of type `webhook.test` at once and returns its delivery. It isn't retried. */
export async function test(steps: SideSteps, endpointId: number) {
  const { delivery, endpoint } = await steps.write(async (ctx) => {
    const endpoint = await endpoints.lock(ctx, endpointId)
    const event = { type: 'webhook.test', timestamp: ctx.now, data: { endpoint_id: endpoint.id } }
    const delivery = await ctx.tx
      .insertInto('webhook_deliveries')
      .values({
        tenant_id: ctx.tenant.id,
        endpoint_id: endpoint.id,
        type: event.type,
        body: JSON.stringify(event),
        leased_until: leased,
        created_at: ctx.now,
        updated_at: ctx.now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return { delivery, endpoint }
  })
  const transact = await systemTransactions(steps.services, delivery.tenant_id)
  if (transact) await attempt(steps.services, { delivery, endpoint, transact })
  return steps.finish(async (ctx) => {
    await ctx
      .update('webhook_deliveries')
      .set({ status: 'failed', next_attempt_at: null })
      .where('id', '=', delivery.id)
      .where('status', '=', 'waiting')
      .execute()
    return show(ctx, delivery.id)
  })
}

/** Restarts a delivery with all its tries, whether it was delivered or not. */
export async function retry(ctx: Ctx, endpoint: Endpoint, id: number) {
  const found = ctx.from('webhook_deliveries').select('id').where('id', '=', id)
  const delivery = await found.where('endpoint_id', '=', endpoint.id).forUpdate().executeTakeFirst()
  if (!delivery) throw notFound('There is no such delivery.')
  refuseOff(endpoint)
  await again(ctx, [id])
  return show(ctx, id)
}

/**
 * Delivers the events of a period again; those delivered before keep their bodies. Regardless of the requester, the endpoint only
 * receives its own types and what its creator may see. 422 if there are too many.
 */
export async function replay(feed: Feed, steps: SideSteps, endpoint: Endpoint, asked: z.output<typeof Replay>) {
  const maker = await feed.maker(steps.services, endpoint)
  if ('ended' in maker) throw invalid({ is_active: `Nobody is told by this endpoint any more: ${maker.ended}` })
  return steps.finish(async (ctx) => replayTo(feed, ctx, maker(ctx), await endpoints.lock(ctx, endpoint.id), asked))
}

async function replayTo(feed: Feed, ctx: Ctx, maker: Ctx, endpoint: Endpoint, { from, to, types }: z.output<typeof Replay>) {
  refuseOff(endpoint)
  const { first, last, events } = await feed.between(ctx, from, to)
  if (events > MAX_REPLAYED)
    throw invalid({ to: `There are ${events} events in this time; at most ${MAX_REPLAYED} are told again at once.` })
  let queued = 0
  for (let after = (first ?? 0) - 1, more = first !== null; more; ) {
    const page = await feed.read(maker, {
      after: Math.max(after, 0),
      types: someOf(types),
      within: someOf(endpoint.types),
      limit: BATCH,
    })
    const within = page.data.filter(({ id, occurred_at }) => id <= last! && occurred_at >= from && occurred_at <= to)
    const known = within.length
      ? await ctx
          .from('webhook_deliveries')
          .select('id')
          .where('endpoint_id', '=', endpoint.id)
          .where(
            'event_id',
            'in',
            within.map(({ id }) => id),
          )
          .execute()
      : []
    await again(
      ctx,
      known.map(({ id }) => id),
    )
    queued += known.length + (await queueDeliveries(ctx, [endpoint.id], within))
    more = page.meta.has_more && page.meta.next_after < last!
    after = page.meta.next_after
  }
  return { queued }
}

function refuseOff({ is_active }: Endpoint) {
  if (!is_active) throw invalid({ is_active: 'This endpoint is switched off; switch it on first.' })
}

async function again(ctx: Ctx, ids: Delivery['id'][]) {
  if (!ids.length) return
  await ctx
    .update('webhook_deliveries')
    .set({ status: 'waiting', attempts: 0, next_attempt_at: ctx.now, updated_at: ctx.now })
    .where('id', 'in', ids)
    .execute()
}

const show = (ctx: Ctx, id: number) =>
  readOne(
    ctx,
    WebhookDelivery,
    'webhook_deliveries',
    sql`webhook_deliveries.tenant_id = ${ctx.tenant.id} and webhook_deliveries.id = ${id}`,
    {
      noun: 'delivery',
    },
  )
