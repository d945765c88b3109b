/**
 * Feed of the platform's events, in the format of workspaces' feeds. Events get their position after the commit, from a reader or
 * the cleanup job, so that a reader of all positions up to one has missed none before it.
 */
import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { BaseCtx, PlatformCtx } from '#kernel/context.ts'
import { gone, typesOf } from '#kernel/http/feed.ts'
import { ActorRef, actorJson } from '#kernel/records/embed.ts'
import { changedShown, through } from '#kernel/records/timeline.ts'
import { instant } from '#kernel/values/fields.ts'
import { kinds } from './telling.ts'

export const PlatformEvent = z
  .object({
    id: z.int(),
    type: z.string().meta({ description: 'What happened to which kind of record.', examples: ['tenant.archived'] }),
    occurred_at: instant().describe('When it happened.'),
    actor: z.object(ActorRef.shape).nullable(), // repeated here, because webhooks use it as input
    client: through(),
    subject: z
      .object({
        type: z.string().meta({ description: 'The kind of record.', examples: ['tenant'] }),
        id: z.int(),
        label: z.string(),
      })
      .describe('The record that it happened to.'),
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'More about it, which depends on `type`.', examples: [{ tenant_id: 7, module_key: 'invoices' }] }),
    changed: changedShown(),
  })
  .meta({ id: 'PlatformEvent' })

/** Number of events positioned in one statement, and of rows that one request examines. */
const BATCH = 5000
const LOOKED_AT = 10_000

interface Extent {
  floor: number
  last: number
  has_unplaced: boolean
}

/** Returns the range of stored positions: above `floor`, up to `last`. */
export async function extentOf({ tx }: Pick<BaseCtx, 'tx'>): Promise<Extent> {
  const { rows } = await sql<Extent>`
    select coalesce(min(position) - 1, 0) as floor, coalesce(max(position), 0) as last,
      exists (select from platform_events where position is null) as has_unplaced
    from platform_events`.execute(tx)
  return rows[0]!
}

/** Assigns positions to committed events. If there are many, the next reader continues. */
export async function placePlatformEvents(ctx: Pick<BaseCtx, 'tx'>): Promise<Extent> {
  await sql`select pg_advisory_xact_lock(hashtext('platform_events'))`.execute(ctx.tx)
  const { last } = await extentOf(ctx)
  await sql`
    update platform_events e set position = unplaced.position
    from (
      select id, ${last}::bigint + row_number() over (order by created_at, id) as position from platform_events
      where position is null order by created_at, id limit ${BATCH}
    ) unplaced
    where e.id = unplaced.id`.execute(ctx.tx)
  return extentOf(ctx)
}

export interface PlatformFeedQuery {
  after?: number
  types?: string[]
  /** Additional filter by types. */
  within?: string[]
  limit: number
  /** Skips expired events instead of throwing. */
  lost?: 'skip'
}

/** Returns events after a position that the reader may see. 410 GONE if some of them have expired. */
export async function readPlatformFeed(ctx: PlatformCtx, { after, types, within, limit, lost }: PlatformFeedQuery) {
  const known = await extentOf(ctx)
  const { floor, last } = known.has_unplaced ? await placePlatformEvents(ctx) : known
  if (after !== undefined && after < floor && !lost) throw gone()
  const from = Math.min(Math.max(after ?? floor, floor), last)
  const wanted = [types, within].filter((some) => some !== undefined).map(typesOf)
  const conditions = kinds
    .filter(({ may }) => ctx.can(may))
    .flatMap(({ kind }) => {
      const asked = wanted.map((some) => some.filter(({ name }) => name === kind).map(({ deed }) => deed))
      if (asked.some((deeds) => !deeds.length)) return []
      const narrowing = asked.filter((deeds) => !deeds.includes('*'))
      const parts = [sql`e.kind = ${kind}`, ...narrowing.map((deeds) => sql`e.deed = any(${deeds}::text[])`)]
      return [sql<SqlBool>`(${sql.join(parts, sql` and `)})`]
    })
  const { rows } = conditions.length
    ? await sql<z.input<typeof PlatformEvent>>`
      select e.position as id, e.kind || '.' || e.deed as type, app.iso(e.created_at) as occurred_at,
        ${actorJson('u')} as actor, e.client,
        json_build_object('type', e.kind, 'id', e.subject_id, 'label', e.label) as subject, e.data, e.changed
      from platform_events e left join platform_users u on u.id = e.actor_id
      where e.position > ${from} and e.position <= ${from + LOOKED_AT} and (${sql.join(conditions, sql` or `)})
      order by e.position limit ${limit + 1}`.execute(ctx.tx)
    : { rows: [] }
  const data = rows.slice(0, limit)
  // All examined events count as read, whether returned or not.
  const next_after = rows.length > limit ? data.at(-1)!.id : Math.min(from + LOOKED_AT, last)
  return { data, meta: { next_after, has_more: next_after < last } }
}

/** Returns the range of positions of a period's events, and their number. */
export async function platformEventsBetween({ tx }: Pick<BaseCtx, 'tx'>, from: string, to: string) {
  const { rows } = await sql<{ first: number | null; last: number | null; events: number }>`
    select min(position) as first, max(position) as last, count(*)::int as events from platform_events
    where position is not null and created_at between ${from} and ${to}`.execute(tx)
  return rows[0]!
}
