/**
 * The feed: changes of the workspace's records, in commit order, as far as the reader may see them. An event is the public form
 * of a timeline entry: `invoice.paid` is the invoice's `status_changed` to `paid`.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { gone, refuseStrange, typesOf } from '#kernel/http/feed.ts'
import { isEntitled } from '#kernel/modules/subscriptions.ts'
import { ActorRef, actorJson, joinById } from '#kernel/records/embed.ts'
import { type EventSubject, eventSubjects, eventTypes } from '#kernel/records/event-types.ts'
import { changedShown, Impersonator, impersonatorJson, propertiesSeen, through } from '#kernel/records/timeline.ts'
import { instant } from '#kernel/values/fields.ts'
import { hasUnplaced, placeEvents } from './placing.ts'

export const Event = z
  .object({
    id: z.int(),
    type: z.string().meta({ description: 'What happened to which kind of record.', examples: ['invoice.paid'] }),
    occurred_at: instant().describe('When it happened.'),
    actor: z.object(ActorRef.shape).nullable(), // inlined, because it is input of webhooks
    impersonator: Impersonator.nullable(),
    client: through(),
    subject: z
      .object({
        type: z.string().meta({ description: 'The kind of record.', examples: ['invoice'] }),
        id: z.int(),
        label: z.string().nullable(),
      })
      .describe('The record that it happened to.'),
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'More about it, which depends on `type`.', examples: [{ from: 'unpaid', to: 'paid' }] }),
    changed: changedShown(),
  })
  .meta({ id: 'Event' })
export type Event = z.infer<typeof Event>

/** Maximum rows that one request examines: with rare types it may return no events, but only where to continue. */
const LOOKED_AT = 10_000

/** Kinds of record whose events the reader may see. */
const readable = (ctx: Ctx): EventSubject[] =>
  eventSubjects().filter((of) => {
    const module = ctx.services.modules.workspace.get(of.module)
    return module && isEntitled(ctx, module) && ctx.can(of.allow)
  })

interface Row {
  id: number
  table: string
  subject_id: number
  type: string
  properties: Record<string, unknown>
  changed: Event['changed']
  label: string | null
  actor: Event['actor']
  impersonator: Event['impersonator']
  client: string | null
  occurred_at: string
}

export interface FeedQuery {
  after?: number
  types?: string[]
  /** Further filter: events must match both lists. */
  within?: string[]
  limit: number
  /** Skips events that are no longer stored, instead of an error. */
  lost?: 'skip'
}

/** Returns events after the reader's last one; 410 GONE if some of them are no longer stored. */
export async function readFeed(ctx: Ctx, { after, types, within, limit, lost }: FeedQuery) {
  const { floor, last } = await extent(ctx)
  if (after !== undefined && after < floor && !lost) throw gone()
  const from = Math.min(Math.max(after ?? floor, floor), last)
  const kinds = readable(ctx)
  const lists = [types, within].filter((some) => some !== undefined)
  const wanted = conditions(ctx, kinds, lists)
  const rows = wanted ? await rowsBehind(ctx, from, wanted, limit + 1) : []
  const page = rows.slice(0, limit)
  const isFull = rows.length > limit
  // Everything examined counts as read, whether or not it was returned.
  const next_after = isFull ? page.at(-1)!.id : Math.min(from + LOOKED_AT, last)
  return { data: await described(ctx, kinds, page), meta: { next_after, has_more: next_after < last } }
}

/** 422 on `types` that no module of the service emits. */
export async function checkTypes({ services }: Ctx, types?: string[]) {
  await services.modules.routes() // loads all modules that emit events
  refuseStrange(types, eventTypes())
}

async function extent(ctx: Ctx) {
  if (await hasUnplaced(ctx)) return placeEvents(ctx)
  const feed = await ctx.from('event_feeds').select(['last', 'floor']).executeTakeFirst()
  return feed ?? { last: 0, floor: 0 }
}

/**
 * Condition for events in each of these lists: `purchase_order.sent`, `vendor.*`; a transition has the name of the new state. 422
 * on `types` for an unknown type.
 */
function conditions(ctx: Ctx, kinds: EventSubject[], lists: string[][]): RawBuilder<SqlBool> | undefined {
  const wanted = lists.map(typesOf)
  const all = kinds.flatMap((of) => {
    const asked = wanted.map((types) => types.filter(({ name }) => name === of.kind).map(({ deed }) => deed))
    if (asked.some((deeds) => !deeds.length)) return []
    const isDeed = (deeds: string[]) =>
      sql`(a.type = any(${deeds}::text[]) or (a.type = 'status_changed' and a.properties ->> 'to' = any(${deeds}::text[])))`
    const seen = of.scope?.(ctx, 't')
    const parts = [sql`a.subject_type = ${of.table}`, ...asked.filter((deeds) => !deeds.includes('*')).map(isDeed)]
    if (seen) {
      const isSeen = sql`exists (select from ${sql.table(of.table)} t where t.tenant_id = ${ctx.tenant.id} and t.id = a.subject_id and ${seen})`
      parts.push(of.parting ? sql`(${isSeen} or ${of.parting(ctx, 'a')})` : isSeen)
    }
    return [sql`(${sql.join(parts, sql` and `)})`]
  })
  return all.length ? sql<SqlBool>`(${sql.join(all, sql` or `)})` : undefined
}

async function rowsBehind(ctx: Ctx, after: number, wanted: RawBuilder<SqlBool>, limit: number): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select a.position as id, a.subject_type as "table", a.subject_id, a.type, ${propertiesSeen(ctx, 'a')} as properties, a.changed, a.label,
      ${actorJson('u')} as actor, ${impersonatorJson(ctx, 'a')} as impersonator, a.client, app.iso(a.created_at) as occurred_at
    from activities a
    ${joinById(ctx, 'users', 'u', 'a.actor_id')}
    where a.tenant_id = ${ctx.tenant.id} and a.position > ${after} and a.position <= ${after + LOOKED_AT} and ${wanted}
    order by a.position limit ${limit}`.execute(ctx.tx)
  return rows
}

/**
 * Converts entries to events: types prefixed by the subject's name, labels with the current names of records that the reader
 * sees.
 */
async function described(ctx: Ctx, kinds: EventSubject[], rows: Row[]): Promise<Event[]> {
  const found = new Map<string, { kind: string; label: string | null }>()
  const tables = Map.groupBy(rows, (row) => row.table)
  for (const of of kinds) {
    const ids = [...new Set((tables.get(of.table) ?? []).map(({ subject_id }) => subject_id))]
    if (!ids.length) continue
    const seen = await sql<{ id: number; label: string | null }>`
      select t.id, ${sql.ref(`t.${of.title}`)}::text as label from ${sql.table(of.table)} t
      where t.tenant_id = ${ctx.tenant.id} and t.id = any(${ids}::bigint[]) and ${of.scope?.(ctx, 't') ?? sql`true`}`.execute(
      ctx.tx,
    )
    for (const { id, label } of seen.rows) found.set(`${of.table} ${id}`, { kind: of.kind, label })
  }
  return rows.map(({ id, table, subject_id, type, properties, changed, label, actor, impersonator, client, occurred_at }) => {
    const now = found.get(`${table} ${subject_id}`)
    const subject = now?.kind ?? kinds.find((of) => of.table === table)!.kind
    const deed = type === 'status_changed' && typeof properties.to === 'string' ? properties.to : type
    return {
      id,
      type: `${subject}.${deed}`,
      occurred_at,
      actor,
      impersonator,
      client,
      subject: { type: subject, id: subject_id, label: label ?? now?.label ?? null },
      data: type === 'force_deleted' ? {} : properties,
      changed: changed ?? changedBy(type, properties),
    }
  })
}

/** Assignments and transitions have their changes in their properties. */
function changedBy(type: string, { from = null, to = null }: Record<string, unknown>): Event['changed'] {
  if (type === 'assigned') return { assigned_to: [from, to] }
  if (type === 'status_changed') return { status: [from, to] }
  return null
}
