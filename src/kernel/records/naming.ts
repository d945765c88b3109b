/**
 * Records by what people call them: a user by the address, others by their title where just one has it, else by the title and their kind
 * (`Other (check_out)`) or their external id, else by the id with its workspace behind it: `17@3f2a9c1e`. Files that go out name records so, and files that
 * come in are read so: no id of one workspace is taken for one of another's.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { subjectOf } from '../modules/subjects.ts'
import type { SubjectType } from '../names.ts'
import type { ReferenceOptions } from '../values/fields.ts'
import { singular } from '../values/words.ts'
import { lookupTables } from './lookup-table.ts'
import { resources } from './resource.ts'

/** What a field names: records of a type, and whether it is a picker. */
export interface NamedKind extends ReferenceOptions {
  type: string
}
export const kindKey = ({ type, picker = false }: NamedKind) => `${type} ${picker}`

/** Where records of a type stand, and what they are called by. */
interface Named {
  table: string
  title: string
  /** The title with the value within which it names one row. */
  full?: RawBuilder<string>
  /** Those that the actor may see, of those that aren't deleted. */
  live: RawBuilder<SqlBool>
  /** Whether rows of it can be deleted and still be there. */
  hasTrash: boolean
  /** Those that the actor may see. */
  seen: RawBuilder<SqlBool>
}

/** A kind of record that `x-refers-to` names: a subject, or a lookup table. Undefined where it isn't known, or not installed. */
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

/** The beginning of the workspace's uuid, which a copy of it on another server keeps, as it keeps the ids. */
const markOf = (ctx: Ctx) => sql<string>`(select left(uuid::text, 8) from tenants where id = ${ctx.tenant.id})`

/** An id with such a mark, or behind a #, as people write it. */
const ID = /^(?:#([1-9]\d{0,14})|([1-9]\d{0,14})@[0-9a-f]{8})$/
/** Names that would be taken for ids, here or elsewhere. */
const LIKE_IDS = '^#?[0-9]+(@.*)?$'

/** What each of these records is called: those that have no name of their own, or that the actor doesn't see, by their ids. */
export async function namesOf(ctx: Ctx, type: string, ids: number[], options?: ReferenceOptions): Promise<Map<number, string>> {
  if (!ids.length) return new Map()
  const of = namedAs(ctx, type, options)
  const mark = sql<{ mark: string }>`select ${markOf(ctx)} as mark`.execute(ctx.tx)
  const [found, marked] = await Promise.all([of ? ownNames(ctx, of, ids) : [], mark])
  const names = new Map(found.map(({ id, name }) => [id, name]))
  return new Map(ids.map((id) => [id, names.get(id) ?? `${id}@${marked.rows[0]!.mark}`]))
}

/** The names that one record alone bears: its title, else what another system calls it, unless another one's title is the same. */
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

/** More than one record of the type bears the name. */
export const SEVERAL = 'several'
/** The rank of what was deleted: several of one name are as good as one, for none can be named anew. */
const GONE = 4

/**
 * What these texts name, of live records that the actor may see and refer to: the one that is called so, else the one that another system calls so, or that is called so within its kind,
 * else the one of that id where it is written as one: `#17`, or `17@3f2a9c1e` as this workspace's own exports do. A number alone is no id: in the file
 * of another workspace, or of another system, it is somebody else's. What has been deleted since is named by what no live one is called: a record may keep
 * it, which is judged where it is changed. Texts that name none are missing. One query.
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
