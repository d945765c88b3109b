/**
 * Subjects: kinds of record that other modules may refer to. A module declares its own (`vendor`) in its manifest. Others can
 * reference such records by type and id, embed and label them; this fails if the module isn't installed or the actor can't see
 * the record.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import type { Permission, SubjectType } from '../names.ts'
import type { ReferenceOptions } from '../values/fields.ts'
import { isEntitled } from './subscriptions.ts'

/** Properties of a resource that are needed for references to its records. */
export interface Referable {
  table: string
  noun: string
  title: string
  due?: string
  module: string
  /** All fields that refer to it are pickers: users may select a record without the permission to view it. */
  picker?: true
  /** Without it, users see only records assigned to them. */
  assignPermission?: Permission
  may(action: 'view'): Permission
  scope(ctx: Ctx, as?: string): RawBuilder<SqlBool> | undefined
  usable?: (as: string) => RawBuilder<SqlBool>
  loadDetailUnscoped(ctx: Ctx, id: number): Promise<any>
}

/** A subject in the context of a workspace. */
export interface Subject {
  type: SubjectType
  of: Referable
  table: string
  noun: string
  /** Column with the record's name. */
  title: string
  /** Whether its module is installed in the workspace. */
  entitled(ctx: Ctx): boolean
  /** Whether the actor has the permission to view the records, if their module is installed. */
  viewable(ctx: Ctx): boolean
  /** Condition for rows (of the table aliased `as`) that the actor may see, or may select in a picker; undefined: all of them. */
  visible(ctx: Ctx, as: string, options?: ReferenceOptions): RawBuilder<SqlBool> | undefined
}

/** Returns a subject; undefined if no module declares it, which callers treat as not installed. */
export function subjectOf(ctx: Ctx, type: SubjectType): Subject | undefined {
  const found = ctx.services.modules.subjects.get(type)
  if (!found) return undefined
  const { module, of } = found
  const entitled = (ctx: Ctx) => isEntitled(ctx, module)
  const viewable = (ctx: Ctx) => ctx.can(of.may('view'))
  return {
    type,
    of,
    table: of.table,
    noun: of.noun,
    title: of.title,
    entitled,
    viewable,
    // No row has this id. A constant false would make a cluster's planner drop the join together with the tenant predicate.
    visible: (ctx, as, { picker } = {}) =>
      entitled(ctx) && (picker || of.picker || viewable(ctx)) ? of.scope(ctx, as) : sql`${sql.ref(`${as}.id`)} = -1`,
  }
}

/**
 * Returns live records of one type by their ids, if the actor may refer to them: entitled, permitted, in scope, usable. Missing
 * and invisible records take the same query.
 */
export async function referable(
  ctx: Ctx,
  type: SubjectType,
  ids: number[],
  options?: ReferenceOptions,
): Promise<Map<number, { id: number; title: string }>> {
  const subject = subjectOf(ctx, type)
  if (!ids.length || !subject?.entitled(ctx)) return new Map()
  const { of, table, title } = subject
  const at = (column: string) => sql.ref(`${table}.${column}`)
  const conditions = [sql`${at('tenant_id')} = ${ctx.tenant.id}`, sql`${at('id')} = any(${[...new Set(ids)]}::bigint[])`]
  conditions.push(sql`${at('deleted_at')} is null`)
  for (const more of [subject.visible(ctx, table, options), of.usable?.(table)]) if (more) conditions.push(more)
  const { rows } = await sql<{ id: number; title: string }>`
    select id, ${at(title)} as title from ${sql.table(table)} where ${sql.join(conditions, sql` and `)}`.execute(ctx.tx)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the subject and title of a live record that the actor may see; throws 404 otherwise. */
export async function findSubject(ctx: Ctx, type: SubjectType, id: number): Promise<{ subject: Subject; title: string }> {
  const found = (await referable(ctx, type, [id])).get(id)
  const subject = subjectOf(ctx, type)
  if (!found || !subject) throw notFound(`There is no such ${subject?.noun ?? type}.`)
  return { subject, title: found.title }
}

/** Returns labels of records of several types: `labels.get('vendor 7')`. Records that the reader can't see are missing. */
export async function labelsOf(ctx: Ctx, named: { type: SubjectType; id: number }[]): Promise<Map<string, string>> {
  const types = Map.groupBy(named, ({ type }) => type)
  const found = [...types].map(async ([type, all]) => {
    const records = await referable(
      ctx,
      type,
      all.map(({ id }) => id),
    )
    return [...records].map(([id, { title }]) => [`${type} ${id}`, title] as const)
  })
  return new Map((await Promise.all(found)).flat())
}
