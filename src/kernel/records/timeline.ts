/** Timeline of a record: events with their actors, written in the transaction of the action, rendered as sentences when read. */
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import { notFound } from '../errors.ts'
import { subjectOf } from '../modules/subjects.ts'
import type { SubjectType } from '../names.ts'
import { instant } from '../values/fields.ts'
import { words } from '../values/words.ts'
import { ActorRef, actorJson, joinById } from './embed.ts'
import { insertAll } from './many-rows.ts'
import { PageText } from './page-text.ts'
import { bytesOf, isTruncated, markedJson, shortened, withinBudget } from './text-budget.ts'
import { type ActivityTemplates, type At, embedded, type HasActivities, JsonText, MAX_EMBEDDED } from './view.ts'

/** Entry types of every record's timeline. Modules add their own. */
export const commonActivityTemplates = {
  created: () => 'Created',
  updated: ({ fields = [] }: { fields?: string[] }) => (fields.length ? `Changed ${fields.map(words).join(', ')}` : 'Changed'),
  assigned: ({ to_name }: { from: number | null; to: number | null; to_name: string | null }) =>
    to_name ? `Assigned to ${to_name}` : 'Unassigned',
  status_changed: ({ from, to }: { from: string; to: string }) => `Status changed from ${words(from)} to ${words(to)}`,
  note_added: (_: { note_id: number }) => 'Note added',
  deleted: () => 'Deleted',
  restored: () => 'Restored',
} satisfies ActivityTemplates

/** Owner of a timeline: a resource. */
export interface HasTimeline<S extends ActivityTemplates = any> extends HasActivities<S> {
  table: string
}

/** Returns a table's timeline with only the common entry types, for entries written by the kernel. */
export const commonTimelineOf = ({ table }: { table: string }) => ({ table, activityTemplates: commonActivityTemplates })

/** Another record that timeline entries mention: the properties with its id and its name. */
export interface NamedRecord {
  type: SubjectType
  id: string
  label: string
}

/** By the table of the timeline's record. */
const named = new Map<string, NamedRecord>()
/** Declares that a table's timeline entries name another record. */
export const namesInTimeline = (table: string, record: NamedRecord) => void named.set(table, record)

/** Property that some readers of a timeline don't see. */
export interface HiddenProperty {
  property: string
  /** Entry types that have this property with this meaning. */
  types: readonly string[]
  /** Condition for entries (aliased `entry`) that hide it from the actor; undefined: none. */
  where(ctx: Ctx, entry: string): RawBuilder<unknown> | undefined
}

const hidden = new Map<string, HiddenProperty>()
/** Declares that a table's timeline entries have a hidden property. */
export const hideInTimeline = (table: string, property: HiddenProperty) => void hidden.set(table, property)

/**
 * Properties of entries (aliased `as`) without those hidden from the actor, and without names of records that the actor can't
 * see.
 */
export function propertiesSeen(
  ctx: Ctx,
  as: string,
  tables: string[] = [...new Set([...named.keys(), ...hidden.keys()])],
): RawBuilder<unknown> {
  const properties = sql.ref(`${as}.properties`)
  const isOf = (table: string) => sql`${sql.ref(`${as}.subject_type`)} = ${sql.lit(table)}`
  const withheld = tables.flatMap((table) => {
    const { property, types = [], where } = hidden.get(table) ?? {}
    const condition = where?.(ctx, as)
    if (!property || !condition) return []
    const isOne = sql`${sql.ref(`${as}.type`)} in (${sql.join(types.map((type) => sql.lit(type)))})`
    return [sql`when ${isOf(table)} and ${isOne} and ${condition} then ${properties} - ${sql.lit(property)}`]
  })
  const hiding = tables.flatMap((table) => {
    const record = named.get(table)
    const subject = record && subjectOf(ctx, record.type)
    const visible = subject?.visible(ctx, 'told')
    if (!record || !subject || !visible) return []
    const [id, label] = [sql.lit(record.id), sql.lit(record.label)]
    const isSeen = sql`exists (select from ${sql.table(subject.table)} told
      where told.tenant_id = ${ctx.tenant.id} and told.id = (${properties} ->> ${id})::bigint and ${visible})`
    return [sql`when ${isOf(table)} and ${properties} ? ${id} and not ${isSeen} then ${properties} - ${label}`]
  })
  const cases = [...withheld, ...hiding]
  return cases.length ? sql`case ${sql.join(cases, sql` `)} else ${properties} end` : properties
}

/** Writes an entry. Types and properties are those of the resource's templates. */
export async function logActivity<S extends ActivityTemplates, T extends keyof S & string>(
  ctx: Ctx,
  of: HasTimeline<S>,
  id: number,
  type: T,
  ...[properties]: Parameters<S[T]> extends [infer P] ? [P] : []
) {
  await writeActivity(ctx, { table: of.table, id, type, properties: properties as object | undefined })
}

/** Changes of an update by field: before and after. */
export type Changed = Record<string, [unknown, unknown]>

interface Deed {
  table: string
  id: number
  type: string
  properties?: object
  changed?: Changed
  /** Name of a record that no longer exists. */
  label?: string
}

/** Writes an entry of any type. */
export async function writeActivity(ctx: Ctx, deed: Deed) {
  const { properties, changed, ...row } = entryOf(ctx, deed)
  const written = await ctx.tx
    .insertInto('activities')
    .values({
      tenant_id: ctx.tenant.id,
      ...row,
      properties: JSON.stringify(properties),
      changed: changed && JSON.stringify(changed),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (deed.type === 'updated') updatesOf(ctx).set(keyOf(deed), written.id)
}

/** Update entries that a transaction has written, by record. */
const updates = new WeakMap<object, Map<string, number>>()
function updatesOf({ tx }: Ctx): Map<string, number> {
  const known = updates.get(tx) ?? new Map<string, number>()
  updates.set(tx, known)
  return known
}
const keyOf = ({ table, id }: Deed) => `${table} ${id}`

/**
 * Adds fields to the update entry that this transaction has written for the record. Returns false if there is none, or if it was
 * rolled back.
 */
export async function joinUpdate(ctx: Ctx, deed: Deed): Promise<boolean> {
  const { properties, changed = {} } = deed
  const { fields } = properties as { fields: string[] }
  const entry = updatesOf(ctx).get(keyOf(deed))
  if (entry === undefined) return false
  const { rows } = await sql`
    update activities set changed = coalesce(changed, '{}') || ${JSON.stringify(changed)}::jsonb,
      properties = jsonb_set(properties, '{fields}', coalesce(properties -> 'fields', '[]') || ${JSON.stringify(fields)}::jsonb)
    where tenant_id = ${ctx.tenant.id} and id = ${entry} returning id`.execute(ctx.tx)
  return rows.length > 0
}

/** Writes entries of many records in one statement. */
export const writeActivities = (ctx: Ctx, deeds: Deed[]) =>
  insertAll(ctx, 'activities', deeds.map((deed) => entryOf(ctx, deed)) as never[])

const entryOf = (ctx: Ctx, { table, id, type, properties = {}, changed, label }: Deed) => ({
  subject_type: table,
  subject_id: id,
  type,
  properties,
  changed: changed ?? null,
  label: label ?? null,
  actor_id: ctx.actor.id,
  impersonator_id: ctx.actor.impersonator?.id ?? null,
  impersonator_type: ctx.actor.impersonator?.type ?? null,
  client: ctx.request.client,
  created_at: ctx.now,
})

/** The impersonating user of the workspace or of the platform; the latter's name isn't shown here. */
export const Impersonator = z.object({
  id: z.int(),
  name: z.string(),
  type: z.enum(['user', 'platform_user']),
})

/** The impersonator of a row aliased `as` with `impersonator_id` and `impersonator_type`. */
export const impersonatorJson = (ctx: Ctx, as: string) => sql`(
  case ${sql.ref(`${as}.impersonator_type`)}
    when 'user' then (select json_build_object('id', i.id, 'name', i.name, 'type', 'user') from users i
      where i.tenant_id = ${ctx.tenant.id} and i.id = ${sql.ref(`${as}.impersonator_id`)})
    when 'platform_user' then json_build_object('id', ${sql.ref(`${as}.impersonator_id`)}, 'name', 'Platform', 'type', 'platform_user')
  end)`

/** Field with the changes of an update: before and after by field. */
export const changedShown = () =>
  z
    .record(z.string(), z.array(z.unknown()))
    .nullable()
    .meta({
      description: 'Of a change: each field with what it was and what it is; null otherwise.',
      examples: [{ title: ['Desk', 'Desks'] }],
    })

/** Field with the program that the actor used. */
export const through = () =>
  z
    .string()
    .nullable()
    .meta({
      description: 'The program through which the actor did it, as it calls itself: an agent; null: in person, or by a key.',
      examples: ['Claude Code'],
    })

/** A timeline entry in replies. */
export const Activity = z
  .object({
    id: z.int(),
    type: z.string().meta({
      description:
        'What happened, for programs: `created`, `updated`, `status_changed`, and what else there is of such a record.',
      examples: ['created'],
    }),
    description: z
      .string()
      .meta({ description: 'What happened, as a sentence in English.', examples: ['Status changed from draft to sent'] }),
    properties: z.record(z.string(), z.unknown()),
    changed: changedShown(),
    actor: ActorRef.nullable(),
    /** The account that impersonated the actor. */
    impersonator: Impersonator.nullable(),
    client: through(),
    created_at: instant(),
    is_truncated: isTruncated(),
  })
  .meta({ id: 'Activity' })

/** An entry as read from the database: the parts of its sentence, and the fields after it as the text of a JSON object. */
interface Stored {
  id: number
  type: string
  properties: object
  rest: string
}

const entries = (ctx: Ctx, subject: string, condition: unknown, limit: unknown) => {
  const rows = sql`
    select * from activities a
    where a.tenant_id = ${ctx.tenant.id} and a.subject_type = ${sql.lit(subject)} and a.subject_id = ${condition}
    order by a.created_at desc, a.id desc ${limit}`
  const bytes = sql`${bytesOf(sql.ref('a.properties'))} + ${bytesOf(sql.ref('a.changed'))}`
  return entriesAmong(ctx, subject, withinBudget(ctx, rows, 'a', bytes))
}

/** Reads entries among rows aliased `a`, which have `is_truncated`. */
const entriesAmong = (ctx: Ctx, subject: string, rows: RawBuilder<unknown>) => {
  const flag = sql.ref('a.is_truncated')
  const cut = (object: RawBuilder<unknown>) => sql`case when ${flag} then ${shortened(object)} else ${object} end`
  return sql<Stored>`
    select a.id, a.type, seen.properties, ${markedJson('shown', flag)} as rest
    from ${rows} ${joinById(ctx, 'users', 'u', 'a.actor_id')}
    cross join lateral (select ${propertiesSeen(ctx, 'a', [subject])} as whole) visible
    cross join lateral (select ${cut(sql.ref('visible.whole'))} as properties) seen
    cross join lateral (
      select seen.properties, ${cut(sql.ref('a.changed'))} as changed, ${actorJson('u')} as actor,
        ${impersonatorJson(ctx, 'a')} as impersonator, a.client, app.iso(a.created_at) as created_at
    ) shown
    order by a.created_at desc, a.id desc`
}

/** Field of a detail view: the record's newest entries, newest first (CONV-08). */
export const activities = () =>
  embedded(z.array(Activity), {
    columns: ['id'],
    value: ({ ctx, table }: At) =>
      sql`(select coalesce(json_agg(e), '[]') from (${entries(ctx, table, sql.ref(`${table}.id`), sql`limit ${sql.lit(MAX_EMBEDDED)}`)}) e)`,
    finish: (stored: Stored[], _, of: HasActivities | undefined) => new JsonText(described(of!, stored)),
  })

/** JSON text of entries. Sentences are rendered here, the other fields by the database. */
const described = (of: HasActivities, stored: Stored[]): string => `[${stored.map((entry) => describedEntry(of, entry)).join()}]`

function describedEntry({ activityTemplates }: HasActivities, { id, type, properties, rest }: Stored): string {
  const description = activityTemplates[type]?.(properties) ?? words(type)
  return `${JSON.stringify({ id, type, description }).slice(0, -1)},${rest.slice(1)}`
}

/** Returns a page of a record's timeline, newest first. */
export async function timelineOf(ctx: Ctx, of: HasTimeline, id: number, paging: Paged): Promise<PageText> {
  const { rows, total } = await pageOfEntries(ctx, 'activities', entries, of, id, paging)
  return new PageText(described(of, rows), { total })
}

/** Returns one entry of a record's timeline in full. Throws 404 if the record has no such entry. */
export async function timelineEntryOf(ctx: Ctx, of: HasTimeline, id: number, entryId: number): Promise<JsonText> {
  const rows = sql`(
    select *, false as is_truncated from activities
    where tenant_id = ${ctx.tenant.id} and subject_type = ${of.table} and subject_id = ${id} and id = ${entryId}) a`
  const { rows: found } = await entriesAmong(ctx, of.table, rows).execute(ctx.tx)
  if (!found[0]) throw notFound('There is no such entry.')
  return new JsonText(describedEntry(of, found[0]))
}

type Paged = { page: number; per_page: number }
/** Query for one record's notes or entries, newest first; `limit` is its LIMIT clause. */
type EntriesQuery<R> = (ctx: Ctx, subject: string, id: unknown, limit: unknown) => RawBuilder<R>

/** Returns a page of a record's notes or timeline, with the total. */
export async function pageOfEntries<R>(
  ctx: Ctx,
  table: 'activities' | 'notes',
  entriesOf: EntriesQuery<R>,
  of: HasTimeline,
  id: number,
  { page, per_page }: Paged,
) {
  const [{ rows }, { total }] = await allPipelined(
    entriesOf(ctx, of.table, id, sql`limit ${per_page} offset ${(page - 1) * per_page}`).execute(ctx.tx),
    ctx.tx
      .selectFrom(table)
      .where('tenant_id', '=', ctx.tenant.id)
      .where('subject_type', '=', of.table)
      .where('subject_id', '=', id)
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow(),
  )
  return { rows, total }
}
