/** The timeline of a record: what happened, by whom, told in a sentence when it is read. Written in the transaction of the deed. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { UserRef, userRef } from './embed.ts'

/** Types of entry and the sentence each reads as, from its properties. */
export type Sentences = Record<string, (properties: any) => string>

/** What every record's timeline knows. Modules add their own. */
export const commonSentences = {
  created: () => 'Created',
  updated: ({ fields = [] }: { fields?: string[] }) => (fields.length ? `Changed ${fields.map(words).join(', ')}` : 'Changed'),
  assigned: ({ to_name }: { from: number | null; to: number | null; to_name: string | null }) =>
    to_name ? `Assigned to ${to_name}` : 'Unassigned',
  status_changed: ({ from, to }: { from: string; to: string }) => `Status changed from ${words(from)} to ${words(to)}`,
  note_added: (_: { note_id: number }) => 'Note added',
  deleted: () => 'Deleted',
  restored: () => 'Restored',
} satisfies Sentences

const words = (name: string) => name.replaceAll('_', ' ')

interface Subject<S extends Sentences> {
  table: string
  sentences: S
}

/** Records an entry. Types and properties are those of the resource's sentences. */
export async function logActivity<S extends Sentences, T extends keyof S & string>(
  ctx: Ctx,
  subject: Subject<S>,
  id: number,
  type: T,
  ...[properties]: Parameters<S[T]> extends [infer P] ? [P] : []
) {
  await ctx.tx
    .insertInto('activities')
    .values({
      tenant_id: ctx.tenant.id,
      subject_type: subject.table,
      subject_id: id,
      type,
      properties: JSON.stringify(properties ?? {}),
      actor_id: ctx.actor.id,
      created_at: ctx.now,
    })
    .execute()
}

export const Activity = z
  .object({
    id: z.int(),
    type: z.string(),
    description: z.string(),
    properties: z.record(z.string(), z.unknown()),
    actor: UserRef.nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Activity' })

type StoredActivity = Omit<z.infer<typeof Activity>, 'description'>

/** The newest entries of the record in the row at hand, newest first (CONV-08), as JSON for a detail query. */
export const activitiesOf = (table: string, most = 100) => sql<StoredActivity[]>`(
  select coalesce(json_agg(a order by a.created_at desc, a.id desc), '[]') from (
    select id, type, properties, ${userRef('activities', 'actor_id')} as actor, app.iso(created_at) as created_at
    from activities
    where tenant_id = ${sql.ref(`${table}.tenant_id`)} and subject_type = ${sql.lit(table)} and subject_id = ${sql.ref(`${table}.id`)}
    order by activities.created_at desc, activities.id desc limit ${sql.lit(most)}
  ) a)`

export const describe = (sentences: Sentences, stored: StoredActivity[]): z.infer<typeof Activity>[] =>
  stored.map((entry) => ({ ...entry, description: sentences[entry.type]?.(entry.properties) ?? words(entry.type) }))

/** A page of a record's timeline, newest first. */
export async function timeline(ctx: Ctx, subject: Subject<Sentences>, id: number, query: { page: number; per_page: number }) {
  const of = ctx.tx
    .selectFrom('activities')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('subject_type', '=', subject.table)
    .where('subject_id', '=', id)
  const [rows, { total }] = await Promise.all([
    of
      .select(['id', 'type', 'properties', 'created_at', userRef('activities', 'actor_id').as('actor')])
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(query.per_page)
      .offset((query.page - 1) * query.per_page)
      .execute(),
    of.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { rows: describe(subject.sentences, rows as StoredActivity[]), total }
}
