/** Many rows in one statement: what is written about one lead is written in the same way about thousands. */
import { type Insertable, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import type { DB } from '#kernel/database/tables.ts'
import type { leads } from './leads.ts'

type Table = 'leads' | 'lead_tag_links' | 'lead_follow_ups' | 'lead_assignments' | 'activities' | 'lead_import_failures'

/** Inserts rows that all have the same columns. */
export async function insertRows<T extends Table>(ctx: Ctx, table: T, rows: Omit<Insertable<DB[T]>, 'tenant_id'>[]) {
  const columns = Object.keys(rows[0] ?? {})
  if (!rows.length) return
  await sql`
    insert into ${sql.table(table)} (tenant_id, ${sql.join(columns.map((name) => sql.ref(name)))})
    select ${ctx.tenant.id}::bigint, ${sql.join(columns.map((name) => sql.ref(`given.${name}`)))}
    from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json) given returning 1`.execute(ctx.tx)
}

/** Ids for leads to come, so that what belongs to them can leave with them. */
export async function reserveIds(ctx: Ctx, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('leads', 'id')) as id from generate_series(1, ${count})`.execute(ctx.tx)
  return rows.map(({ id }) => id)
}

type Sentences = (typeof leads)['sentences']
type Entry<T extends keyof Sentences> = { lead_id: number; properties?: Parameters<Sentences[T]>[0] }

/** Entries of one type in the timelines of leads. */
export const tellEach = <T extends keyof Sentences & string>(ctx: Ctx, type: T, entries: Entry<T>[]) =>
  insertRows(
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
