/** Demo records with their history: timelines, notes and numbers. */
import { type Selectable, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import type { DB } from '../database/tables.ts'
import { insertRows, type NewRow, type Table } from '../records/many-rows.ts'
import { dateIn } from '../values/time.ts'
import type { Plan } from './parts.ts'

/** Returns a context at another time and, optionally, as another user. For calling a module's own functions in the past. */
export const asOf = (ctx: Ctx, now: string, by?: { id: number; name: string }): Ctx => ({
  ...ctx,
  now,
  actor: { ...ctx.actor, ...by },
  today: () => dateIn(ctx.tenant.timezone, now),
})

/** Inserts records, each with its first timeline entry. Returns their ids. */
export async function insertRecords<T extends Table>(
  ctx: Ctx,
  table: T,
  rows: (NewRow<T> & { created_at: string; created_by: number | null })[],
) {
  const ids = await insertRows(ctx, table, rows)
  const created = rows.map(({ created_at, created_by }, n) => ({ id: ids[n]!, type: 'created', at: created_at, by: created_by }))
  await insertTimeline(ctx, table, created)
  return ids
}

/** Entry of a record's timeline. */
export interface Entry {
  type: string
  properties?: object
  at: string
  by: number | null
}

/** Inserts timeline entries of records. */
export async function insertTimeline(ctx: Ctx, subject_type: Table, entries: (Entry & { id: number })[]) {
  const rows = entries.map(({ id, type, properties = {}, at, by }) => ({
    subject_type,
    subject_id: id,
    type,
    properties: properties as {},
    actor_id: by,
    created_at: at,
  }))
  await insertRows(ctx, 'activities', rows)
}

/**
 * Record with its history. The first entry is its creation, the last one its latest change; a last entry `deleted` puts the
 * record in the trash.
 */
export interface Story<R> {
  row: R
  timeline: Entry[]
  notes?: { body: string; at: string; by: number }[]
}

/** Returns an entry that moves the record to the trash a few hours after another entry. */
export const trashedAfter = ({ calendar }: Plan, { at, by }: Entry): Entry => ({
  type: 'deleted',
  at: calendar.instant(calendar.dayOf(at) + 0.3) ?? at,
  by,
})

type Lived = 'created_by' | 'created_at' | 'updated_at' | 'deleted_at' | 'revision'

/** Inserts records with their timelines and notes. Returns the ids. */
export async function insertStories<T extends Table>(
  ctx: Ctx,
  table: T,
  stories: Story<Omit<NewRow<T>, Lived>>[],
): Promise<number[]> {
  const rows = stories.map(({ row, timeline }) => {
    const [first, last] = [timeline[0]!, timeline.at(-1)!]
    return {
      ...row,
      created_by: first.by,
      created_at: first.at,
      updated_at: last.at,
      revision: timeline.length,
      deleted_at: last.type === 'deleted' ? last.at : null,
    } as unknown as NewRow<T>
  })
  const ids = await insertRows(ctx, table, rows)
  const timelines = stories.flatMap(({ timeline }, n) => timeline.map((entry) => ({ ...entry, id: ids[n]! })))
  await insertTimeline(ctx, table, timelines)
  const notes = stories.flatMap((story, n) => (story.notes ?? []).map((note) => ({ ...note, id: ids[n]! })))
  await insertNotes(ctx, table, notes)
  return ids
}

/** Returns records outside the trash, oldest first, with the given columns. */
export async function recordsOf<T extends Table, C extends keyof Selectable<DB[T]> & string>(
  ctx: Ctx,
  table: T,
  ...columns: C[]
) {
  const { rows } = await sql<Pick<Selectable<DB[T]>, C> & { id: number; created_at: string }>`
    select ${sql.join([...new Set(['id', 'created_at', ...columns])].map((column) => sql.ref(column)))}
    from ${sql.table(table)} where tenant_id = ${ctx.tenant.id} and deleted_at is null order by created_at, id`.execute(ctx.tx)
  return rows
}

/** Renames rows that every new workspace has, by their previous names. */
export async function rename(ctx: Ctx, table: Table, names: Record<string, string>) {
  for (const [before, name] of Object.entries(names))
    await sql`update ${sql.table(table)} set name = ${name} where tenant_id = ${ctx.tenant.id} and name = ${before}`.execute(
      ctx.tx,
    )
}

/** Inserts notes on records, each with a timeline entry. */
export async function insertNotes(ctx: Ctx, subject_type: Table, notes: { id: number; body: string; at: string; by: number }[]) {
  const rows = notes.map(({ id, body, at, by }) => ({ subject_type, subject_id: id, body, created_by: by, created_at: at }))
  const ids = await insertRows(ctx, 'notes', rows)
  const told = notes.map(({ id, at, by }, n) => ({ id, type: 'note_added', properties: { note_id: ids[n]! }, at, by }))
  await insertTimeline(ctx, subject_type, told)
}

/**
 * Reserves `count` consecutive numbers and returns the first, as `nextNumber` does for one. Records created later continue the
 * sequence.
 */
export async function takeNumbers(ctx: Ctx, kind: string, count: number): Promise<number> {
  const { last } = await ctx.tx
    .insertInto('number_counters')
    .values({ tenant_id: ctx.tenant.id, kind, last: count })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'kind']).doUpdateSet((eb) => ({ last: eb('number_counters.last', '+', count) })),
    )
    .returning('last')
    .executeTakeFirstOrThrow()
  return last - count + 1
}
