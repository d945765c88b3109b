/** History of subscriptions, written in the transaction of the change. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Actor, BaseCtx } from '#kernel/context.ts'
import { publishAccess } from '#kernel/modules/access.ts'
import { computed, MAX_EMBEDDED } from '#kernel/records/view.ts'
import { instant } from '#kernel/values/fields.ts'
import { telling } from '#platform/events/public.ts'

/** Types of events in a subscription's history. */
export const EVENTS = [
  'installed',
  'trial_ended',
  'renewed',
  'cycle_changed',
  'past_due',
  'recovered',
  'cancellation_planned',
  'cancellation_withdrawn',
  'cancelled',
  'deactivated',
  'expired',
] as const

export interface SubscriptionEvent {
  tenant_id: number
  subscription_id: number
  event: (typeof EVENTS)[number]
  properties?: Record<string, unknown>
}

/** Events that change which modules a workspace has. */
const ABOUT_ACCESS: (typeof EVENTS)[number][] = ['installed', 'cancelled', 'deactivated', 'expired']

/** Records events of subscriptions with the context's actor. */
export async function noteEvents(ctx: BaseCtx, events: SubscriptionEvent[]) {
  if (!events.length) return
  const actor = 'actor' in ctx ? (ctx.actor as Actor) : undefined
  const rows = events.map(({ properties = {}, ...event }) => ({ ...event, properties, actor_id: actor?.id ?? null }))
  await sql`
    insert into subscription_events (tenant_id, subscription_id, event, properties, actor_id, created_at)
    select tenant_id, subscription_id, event, properties, actor_id, ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(tenant_id bigint, subscription_id bigint, event text, properties jsonb, actor_id bigint)
    returning id`.execute(ctx.tx)
  await tellEvents(ctx, events)
  const changed = events.filter(({ event }) => ABOUT_ACCESS.includes(event)).map(({ tenant_id }) => tenant_id)
  for (const tenantId of new Set(changed)) publishAccess(ctx, tenantId)
}

const tell = telling({ kind: 'subscription', module: 'module-subscriptions', may: 'module-subscriptions.read', deeds: EVENTS })

/** Records the events in the platform's feed, with the modules' keys. */
async function tellEvents(ctx: BaseCtx, events: SubscriptionEvent[]) {
  const named = await ctx.tx
    .selectFrom('module_subscriptions')
    .select(['tenant_id', 'id', 'module_key'])
    .where('tenant_id', 'in', [...new Set(events.map(({ tenant_id }) => tenant_id))])
    .where(
      'id',
      'in',
      events.map(({ subscription_id }) => subscription_id),
    )
    .execute()
  const keys = new Map(named.map(({ tenant_id, id, module_key }) => [`${tenant_id} ${id}`, module_key]))
  for (const [event, these] of Map.groupBy(events, (one) => one.event))
    await tell(
      ctx,
      event,
      these.map(({ tenant_id, subscription_id, properties }) => {
        const module_key = keys.get(`${tenant_id} ${subscription_id}`)!
        return { id: subscription_id, label: module_key, data: { tenant_id, module_key, ...properties } }
      }),
    )
}

const HistoryEntry = z
  .object({
    id: z.int(),
    event: z.enum(EVENTS),
    properties: z.record(z.string(), z.unknown()),
    actor: z.object({ id: z.int(), name: z.string() }).nullable(),
    created_at: instant(),
  })
  .meta({ id: 'SubscriptionEvent' })

/** Latest hundred events of a subscription (BIL-02). */
export const history = () =>
  computed(
    z.array(HistoryEntry),
    ({ table }) => sql`(
      select coalesce(json_agg(json_build_object('id', e.id, 'event', e.event, 'properties', e.properties, 'created_at', app.iso(e.created_at),
        'actor', case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end) order by e.id desc), '[]')
      from (select * from subscription_events e where e.tenant_id = ${sql.ref(`${table}.tenant_id`)} and e.subscription_id = ${sql.ref(`${table}.id`)}
        order by e.id desc limit ${MAX_EMBEDDED}) e
      left join platform_users u on u.id = e.actor_id)`,
  )
