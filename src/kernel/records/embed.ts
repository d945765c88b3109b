/**
 * References embedded in a record: JSON built by the same query, so that a list doesn't run a query per row. Each join has the
 * workspace's id as a value, as every reference to a workspace table does, so that the query stays on one shard.
 */
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { type Subject, subjectOf } from '../modules/subjects.ts'
import type { SubjectType } from '../names.ts'
import type { ReferenceOptions } from '../values/fields.ts'
import { singular } from '../values/words.ts'
import { type At, embedded, type TableName } from './view.ts'

export const UserRef = z.object({ id: z.int(), name: z.string(), email: z.string() }).meta({ id: 'UserRef' })
/** The user who did something: a service account has no address. */
export const ActorRef = z
  .object({ id: z.int(), name: z.string(), email: z.string().nullable().describe('Null of a service account, which has none.') })
  .meta({ id: 'ActorRef' })
export type ActorRef = z.infer<typeof ActorRef>
const NameRef = z.object({ id: z.int(), name: z.string() }).meta({ id: 'NameRef' })
export type UserRef = z.infer<typeof UserRef>

/**
 * Joins the row of another table whose id is in `column`, with the workspace's id as a value. A prepared plan doesn't know the
 * workspace or its size, and would read all of its rows for the join. The limit forces a lookup by key for each row.
 */
export const joinById = (ctx: Ctx, target: string, as: string, column: string, ...more: RawBuilder<unknown>[]) => {
  const row = sql.id(as)
  const conditions = [sql`${row}.tenant_id = ${ctx.tenant.id}`, sql`${row}.id = ${sql.ref(column)}`, ...more]
  return sql`left join lateral (select * from ${sql.table(target)} ${row} where ${sql.join(conditions, sql` and `)} limit 1) ${row} on true`
}

/** `{id, name, email}` of the user that a column references, or null. */
export const userRef = <const Column extends string>(column: Column) =>
  embedded(UserRef.nullable(), {
    columns: [column],
    refersTo: 'user',
    join: ({ ctx, table, as }: At) => joinById(ctx, 'users', as, `${table}.${column}`),
    value: ({ as }) => userJson(as),
  })

/** `{id, name, email}` of the acting user that a column references, or null. */
export const actorRef = <const Column extends string>(column: Column) =>
  embedded(ActorRef.nullable(), {
    columns: [column],
    refersTo: 'user',
    join: ({ ctx, table, as }: At) => joinById(ctx, 'users', as, `${table}.${column}`),
    value: ({ as }) => actorJson(as),
  })

/** JSON of a joined acting user; null if there is none. */
export const actorJson = (as: string) => {
  const of = (column: string) => sql.ref(`${as}.${column}`)
  return sql<ActorRef | null>`case when ${of('id')} is not null
    then json_build_object('id', ${of('id')}, 'name', ${of('name')}, 'email', nullif(${of('email')}, '')) end`
}

/** JSON of a joined user; null if there is none. */
export const userJson = (as: string) => rowJson(as, { id: 'id', name: 'name', email: 'email' }) as RawBuilder<UserRef | null>

/**
 * `{id, name}` of the record that a column references. Null if the reference is empty, the actor may not see the record, or its
 * module isn't installed. A picker shows it without the permission, too. Request bodies declare the field with the same options:
 * `ref('vendor', { picker: true })`.
 */
export const nameRef = <const Column extends string>(column: Column, type: SubjectType, options?: ReferenceOptions) =>
  referring(column, type, NameRef, (subject) => ({ id: 'id', name: subject.title }), options)

/**
 * A reference with columns of its table, by their own names: `recordRef('quotation_id', 'quotation', { id: z.int(), number:
 * z.string() })`. A picker shows them all without the permission: declare only the name there.
 */
export const recordRef = <const Column extends string, Shape extends z.ZodRawShape>(
  column: Column,
  type: SubjectType,
  shape: Shape,
  options?: ReferenceOptions,
) => referring(column, type, z.object(shape), () => Object.fromEntries(Object.keys(shape).map((name) => [name, name])), options)

/** `fields` maps each field to its column. */
const referring = <const Column extends string, S extends z.ZodObject>(
  column: Column,
  type: SubjectType,
  schema: S,
  fields: (subject: Subject) => Record<string, string>,
  { picker }: ReferenceOptions = {},
) =>
  embedded(schema.nullable(), {
    columns: [column],
    refersTo: type,
    picker,
    join({ ctx, table, as }: At) {
      const subject = subjectOf(ctx, type)
      if (!subject) return sql``
      return joinById(ctx, subject.table, as, `${table}.${column}`, subject.visible(ctx, as, { picker }) ?? sql`true`)
    },
    value({ ctx, as }) {
      const subject = subjectOf(ctx as Ctx, type)
      return subject ? rowJson(as, fields(subject)) : sql`null::json`
    },
  })

/** JSON of a joined row; null if there is none. */
const rowJson = (as: string, fields: Record<string, string>) => {
  const pairs = Object.entries(fields).map(([name, column]) => sql`${sql.lit(name)}, ${sql.ref(`${as}.${column}`)}`)
  return sql`case when ${sql.ref(`${as}.id`)} is not null then json_build_object(${sql.join(pairs)}) end`
}

/** `{id, name}` of the lookup table row that a column references, or null. */
export const rowRef = <const Column extends string>(column: Column, target: TableName) =>
  embedded(NameRef.nullable(), {
    columns: [column],
    refersTo: singular(target),
    join: ({ ctx, table, as }: At) => joinById(ctx, target, as, `${table}.${column}`),
    value: ({ as }) => rowJson(as, { id: 'id', name: 'name' }),
  })
