/**
 * Subjects: kinds of record that others may name. A module declares its own (`vendor`) in its manifest; anybody may then refer to one
 * by type and id, embed it, label it, and is refused where the module isn't installed or the actor may not see the record.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import type { Permission, SubjectType } from '../names.ts'
import type { ReferenceOptions } from '../values/fields.ts'
import { isEntitled } from './subscriptions.ts'

/** What a module's record must be, for others to name it: a resource. */
export interface Referable {
  table: string
  noun: string
  title: string
  due?: string
  module: string
  /** Every field that names one is a picker: whoever can't view one may name it anywhere. */
  picker?: true
  /** Who lacks it sees only the records that are theirs. */
  assignPermission?: Permission
  may(action: 'view'): Permission
  scope(ctx: Ctx, as?: string): RawBuilder<SqlBool> | undefined
  usable?: (as: string) => RawBuilder<SqlBool>
  loadDetailUnscoped(ctx: Ctx, id: number): Promise<any>
}

export interface Subject {
  type: SubjectType
  of: Referable
  table: string
  noun: string
  /** The column that people know it by. */
  title: string
  /** Whether its module is installed here. */
  entitled(ctx: Ctx): boolean
  /** Whether the actor holds the permission to view them, wherever its module is installed. */
  viewable(ctx: Ctx): boolean
  /** The condition under which the actor may see, or by a picker name, a row of its table, called `as`; undefined: all of them. */
  visible(ctx: Ctx, as: string, options?: ReferenceOptions): RawBuilder<SqlBool> | undefined
}

/** Undefined where no module has it: to everybody that is the same as a module that isn't installed. */
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
    // No row has this id. A plain false would let a cluster's planner forget the workspace together with the join.
    visible: (ctx, as, { picker } = {}) =>
      entitled(ctx) && (picker || of.picker || viewable(ctx)) ? of.scope(ctx, as) : sql`${sql.ref(`${as}.id`)} = -1`,
  }
}

/**
 * Live records of one type by their ids, as far as the actor may refer to them: entitled, permitted, in scope, usable. A record that isn't there and one
 * that the actor may not see take the same query.
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

/** A live record that the actor may see: its subject and title; 404 otherwise. */
export async function findSubject(ctx: Ctx, type: SubjectType, id: number): Promise<{ subject: Subject; title: string }> {
  const found = (await referable(ctx, type, [id])).get(id)
  const subject = subjectOf(ctx, type)
  if (!found || !subject) throw notFound(`There is no such ${subject?.noun ?? type}.`)
  return { subject, title: found.title }
}

/** Labels of many records of several types: `labels.get('vendor 7')`. Those that the reader may not see are left out. */
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
