/** Event feed of a workspace for its endpoints. */
import { sql } from 'kysely'
import { workspaceCtx } from '#kernel/context.ts'
import { sessionFor } from '#kernel/jobs/entering.ts'
import { eventTypes } from '#kernel/records/event-types.ts'
import type { Feed } from '#kernel/webhooks/side.ts'
import { placeEvents, readFeed } from '#workspace/events/public.ts'

export const feed: Feed = {
  types: eventTypes,
  place: placeEvents,
  read: (ctx, query) => readFeed(ctx, { ...query, lost: 'skip' }),
  async between(ctx, from, to) {
    const { rows } = await sql<{ first: number | null; last: number | null; events: number }>`
      select min(position) as first, max(position) as last, count(*)::int as events from activities
      where tenant_id = ${ctx.tenant.id} and position is not null and created_at between ${from} and ${to}`.execute(ctx.tx)
    return rows[0]!
  },
  async maker(services, { tenant_id, user_id, key_id }) {
    const session = await sessionFor(services, { tenant_id, actor_id: user_id, key_id }, undefined)
    return 'ended' in session ? session : (ctx) => workspaceCtx(ctx, session)
  },
}
