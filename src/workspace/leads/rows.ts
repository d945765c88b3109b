/** What is written about one lead is written in the same way about thousands, in one statement. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { insertAll } from '#kernel/records/many-rows.ts'
import type { leads } from './leads.ts'

/** Ids for leads to come, so that what belongs to them can leave with them. */
export async function reserveIds(ctx: Ctx, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('leads', 'id')) as id from generate_series(1, ${count})`.execute(ctx.tx)
  return rows.map(({ id }) => id)
}

type Templates = (typeof leads)['activityTemplates']
type Entry<T extends keyof Templates> = { lead_id: number; properties?: Parameters<Templates[T]>[0] }

/** Entries of one type in the timelines of leads. */
export const logEach = <T extends keyof Templates & string>(ctx: Ctx, type: T, entries: Entry<T>[]) =>
  insertAll(
    ctx,
    'activities',
    entries.map(({ lead_id, properties = {} }) => ({
      subject_type: 'leads',
      subject_id: lead_id,
      type,
      properties: properties as {},
      actor_id: ctx.actor.id,
      impersonator_id: ctx.actor.impersonator?.id ?? null,
      impersonator_type: ctx.actor.impersonator?.type ?? null,
      created_at: ctx.now,
    })),
  )
