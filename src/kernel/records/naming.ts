/**
 * Names of records for files. A user is named by e-mail address, another record by its title if it is unique. Otherwise it is
 * named by title and kind (`Other (check_out)`), by external id, or by id with a mark of the workspace: `17@3f2a9c1e`. Exports
 * write and imports read these names, so that ids of one workspace never match records of another.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { subjectOf } from '../modules/subjects.ts'
import type { SubjectType } from '../names.ts'
import type { ReferenceOptions } from '../values/fields.ts'
import { singular } from '../values/words.ts'
import { lookupTables } from './lookup-table.ts'
import { resources } from './resource.ts'

/** Kind of record that a field refers to: its type, and whether the field is a picker. */
export interface NamedKind extends ReferenceOptions {
  type: string
}
/** Key of a kind in maps. */
export const kindKey = ({ type, picker = false }: NamedKind) => `${type} ${picker}`

/** Table of a type's records, and how they are named. */
interface Named {
  table: string
  title: string
  /** Title with the value within which it is unique. */
  full?: RawBuilder<string>
  /** Condition for live records that the actor may see. */
  live: RawBuilder<SqlBool>
  /** Whether the table has a soft delete. */
  hasTrash: boolean
  /** Condition for records that the actor may see, deleted or not. */
  seen: RawBuilder<SqlBool>
}

/** Resolves a type from `x-refers-to`: a subject, or a lookup table. Undefined if it is unknown or not installed. */
function namedAs(ctx: Ctx, type: string, options?: ReferenceOptions): Named | undefined {
  const subject = subjectOf(ctx, type as SubjectType)
  if (subject && !subject.entitled(ctx)) return undefined
  const lookup = subject ? undefined : lookupTables.find(({ table, key }) => key === 'id' && singular(table) === type)
  const table = subject?.table ?? lookup?.table
  if (!table) return undefined
  const within = sql<SqlBool>`${sql.ref(`${table}.tenant_id`)} = ${ctx.tenant.id}`
  const scope = subject ? subject.visible(ctx, table, options) : lookup!.scope(ctx)
  const seen = scope ? sql<SqlBool>`${within} and ${scope}` : within
  const live = subject ? sql<SqlBool>`${seen} and ${sql.ref(`${table}.deleted_at`)} is null` : seen
  const title = type === 'user' ? 'email' : (subject?.title ?? lookup!.title)
  const full = lookup?.titledWithin
    ? sql<string>`${sql.ref(`${table}.${title}`)} || ' (' || ${sql.ref(`${table}.${lookup.titledWithin}`)} || ')'`
    : undefined
  return { table, title, full, live, hasTrash: Boolean(subject), seen }
}

/** The first characters of the workspace's uuid. A copy of the workspace on another server keeps it, as it keeps the ids. */
const markOf = (ctx: Ctx) => sql<string>`(select left(uuid::text, 8) from tenants where id = ${ctx.tenant.id})`

/** An id with a workspace mark, or after a #, as people write it. */
const ID = /^(?:#([1-9]\d{0,14})|([1-9]\d{0,14})@[0-9a-f]{8})$/
/** Pattern of names that could be mistaken for ids. */
const LIKE_IDS = '^#?[0-9]+(@.*)?$'

/** Returns the name of each record. Records without a unique name, or that the actor can't see, are named by their ids. */
export async function namesOf(ctx: Ctx, type: string, ids: number[], options?: ReferenceOptions): Promise<Map<number, string>> {
  if (!ids.length) return new Map()
  const of = namedAs(ctx, type, options)
  const mark = sql<{ mark: string }>`select ${markOf(ctx)} as mark`.execute(ctx.tx)
  const [found, marked] = await Promise.all([of ? ownNames(ctx, of, ids) : [], mark])
  const names = new Map(found.map(({ id, name }) => [id, name]))
  return new Map(ids.map((id) => [id, names.get(id) ?? `${id}@${marked.rows[0]!.mark}`]))
}

/**
 * Returns the records' unique names: the title, else the title within its kind, else the external id, unless it equals another
 * record's title.
 */
async function ownNames(ctx: Ctx, of: Named, ids: number[]) {
  const { table } = of
  const at = (column: string) => sql.ref(`${table}.${column}`)
  const isLookup = lookupTables.some((one) => one.table === table)
  const isOwn = (name: RawBuilder<unknown>) => sql<SqlBool>`(${name} <> '' and ${name} !~ ${LIKE_IDS} and not exists (
    select 1 from ${sql.table(table)} o where o.tenant_id = ${ctx.tenant.id} and ${sql.ref(`o.${of.title}`)} = ${name}
      and o.id <> ${at('id')} ${isLookup ? sql`` : sql`and o.deleted_at is null`}))`
  const title = sql`${at(of.title)}`
  const external = isIdentified(table)
    ? sql`when ${at('deleted_at')} is null and ${isOwn(sql`${at('external_id')}`)} then ${at('external_id')}`
    : sql``
  const full = of.full ? sql`when ${isOwn(of.full)} then ${of.full}` : sql``
  const { rows } = await sql<{ id: number; name: string | null }>`
    select ${at('id')} as id, case when ${isOwn(title)} then ${title}::text ${full} ${external} end as name from ${sql.table(table)}
    where ${of.seen} and ${at('id')} = any(${[...new Set(ids)]}::bigint[])`.execute(ctx.tx)
  return rows.flatMap(({ id, name }) => (name === null ? [] : [{ id, name }]))
}

const isIdentified = (table: string) => resources.some((one) => one.table === table && one.item.shape.external_id)

/** More than one record of the type has the name. */
export const SEVERAL = 'several'
/** Rank of deleted records. Several with the same name aren't ambiguous, because deleted records can't be newly referenced. */
const GONE = 4

/**
 * Resolves names to ids of live records that the actor may see and refer to: by title, else by external id or by title within its
 * kind, else by id written as `#17`, or as `17@3f2a9c1e` in this workspace's own exports. A plain number is no id: in a file from
 * another workspace or system it would be a different record's. Deleted records match by title if no live record does: a record
 * may keep such a reference, which is checked where it changes. Unknown names are missing in the result. Runs one query.
 */
export async function idsOf(
  ctx: Ctx,
  type: string,
  texts: string[],
  options?: ReferenceOptions,
): Promise<Map<string, number | typeof SEVERAL>> {
  const of = texts.length ? namedAs(ctx, type, options) : undefined
  if (!of) return new Map()
  const { table, title, full } = of
  const asked = [...new Set(texts)]
  const at = (column: string) => sql.ref(`${table}.${column}`)
  const where = (condition: RawBuilder<SqlBool>) => sql`from ${sql.table(table)} where ${of.live} and ${condition}`
  const ids = asked.flatMap((text) => {
    const [, plain, marked] = ID.exec(text) ?? []
    return plain || marked ? Number(plain ?? marked) : []
  })
  const identified = sql`union all select ${at('external_id')}, 2, ${at('id')} ${where(sql`${at('external_id')} = any(${asked}::text[])`)}`
  const gone = sql<SqlBool>`${of.seen} and ${at('deleted_at')} is not null`
  const formerly = sql`union all select ${at(title)}::text, ${sql.lit(GONE)}, ${at('id')} from ${sql.table(table)} where ${gone} and ${at(title)} = any(${asked}::text[])`
  const { rows } = await sql<{ text: string; rank: number; id: number }>`
    select ${at(title)}::text as text, 1 as rank, ${at('id')} as id ${where(sql`${at(title)} = any(${asked}::text[])`)}
    ${isIdentified(table) ? identified : sql``}
    ${full ? sql`union all select ${full}, 2, ${at('id')} ${where(sql`${full} = any(${asked}::text[])`)}` : sql``}
    union all select form.text, 3, ${at('id')} from ${sql.table(table)}
      cross join lateral (values ('#' || ${at('id')}), (${at('id')} || '@' || ${markOf(ctx)})) as form (text)
      where ${of.hasTrash ? of.seen : of.live} and ${at('id')} = any(${ids}::bigint[])
    ${of.hasTrash ? formerly : sql``}
    order by rank`.execute(ctx.tx)
  const ranks = new Map<string, number>()
  const found = new Map<string, number | typeof SEVERAL>()
  for (const { text, rank, id } of rows) {
    const before = ranks.get(text)
    if (before === undefined) found.set(text, id)
    else if (before === rank && rank !== GONE) found.set(text, SEVERAL)
    ranks.set(text, before ?? rank)
  }
  return found
}
