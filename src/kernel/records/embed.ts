/**
 * References that are embedded in a record: JSON made by the same query, so that a list never asks once per row. Each names the
 * workspace by its value, as every reference to a workspace table does, so that the query stays on one shard.
 */
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import type { SubjectType } from '../modules/module.ts'
import { type Subject, subjectOf } from '../modules/subjects.ts'
import { singular } from '../values/words.ts'
import type { TableName } from './resource.ts'
import { type At, embedded } from './view.ts'

export const UserRef = z.object({ id: z.int(), name: z.string(), email: z.string() }).meta({ id: 'UserRef' })
const NameRef = z.object({ id: z.int(), name: z.string() }).meta({ id: 'NameRef' })
export type UserRef = z.infer<typeof UserRef>

/** Joins the row of another table that a column names, with the workspace by its value. */
const joined = ({ ctx, table, as }: At, target: string, column: string) =>
  sql`left join ${sql.table(target)} ${sql.id(as)} on ${sql.ref(`${as}.tenant_id`)} = ${ctx.tenant.id} and ${sql.ref(`${as}.id`)} = ${sql.ref(`${table}.${column}`)}`

/** `{id, name, email}` of the user that a column names, or null. */
export const userRef = <const Column extends string>(column: Column) =>
  embedded(UserRef.nullable(), {
    columns: [column],
    refersTo: 'user',
    join: (at: At) => joined(at, 'users', column),
    value: ({ as }) => userJson(as),
  })

/** The JSON of a joined user, null where there is none. */
export const userJson = (as: string) => rowJson(as, { id: 'id', name: 'name', email: 'email' }) as RawBuilder<UserRef | null>

/**
 * `{id, name}` of the record that a column names, or null: also where the actor may not see it, or where its module isn't
 * installed.
 */
export const nameRef = <const Column extends string>(column: Column, type: SubjectType) =>
  referring(column, type, NameRef, (subject) => ({ id: 'id', name: subject.title }))

/** The same with columns of its table by their own names: `recordRef('quotation_id', 'quotation', { id: z.int(), number: z.string() })`. */
export const recordRef = <const Column extends string, Shape extends z.ZodRawShape>(
  column: Column,
  type: SubjectType,
  shape: Shape,
) => referring(column, type, z.object(shape), () => Object.fromEntries(Object.keys(shape).map((name) => [name, name])))

/** `fields` names the column of each field. */
const referring = <const Column extends string, S extends z.ZodObject>(
  column: Column,
  type: SubjectType,
  schema: S,
  fields: (subject: Subject) => Record<string, string>,
) =>
  embedded(schema.nullable(), {
    columns: [column],
    refersTo: type,
    join(at: At) {
      const subject = subjectOf(at.ctx, type)
      if (!subject) return sql``
      const visible = subject.visible(at.ctx, at.as) ?? sql`true`
      return sql`${joined(at, subject.table, column)} and ${visible}`
    },
    value({ ctx, as }) {
      const subject = subjectOf(ctx as Ctx, type)
      return subject ? rowJson(as, fields(subject)) : sql`null::json`
    },
  })

/** The JSON of a joined row, null where there is none. */
const rowJson = (as: string, fields: Record<string, string>) => {
  const pairs = Object.entries(fields).map(([name, column]) => sql`${sql.lit(name)}, ${sql.ref(`${as}.${column}`)}`)
  return sql`case when ${sql.ref(`${as}.id`)} is not null then json_build_object(${sql.join(pairs)}) end`
}

/** `{id, name}` of the row of a small table that a column names, or null. */
export const rowRef = <const Column extends string>(column: Column, target: TableName) =>
  embedded(NameRef.nullable(), {
    columns: [column],
    refersTo: singular(target),
    join: (at: At) => joined(at, target, column),
    value: ({ as }) => rowJson(as, { id: 'id', name: 'name' }),
  })
