/**
 * Records by what people call them: a user by the address, others by their title where just one has it, else by the id. Files that go out
 * name records so, and files that come in are read so.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { subjectOf } from '../modules/subjects.ts'
import type { SubjectType } from '../names.ts'
import { singular } from '../values/words.ts'
import { lookupTables } from './lookup-table.ts'
import { resources } from './resource.ts'

/** Where records of a type stand, and what they are called by. */
interface Named {
  table: string
  title: string
  /** Those that the actor may see, of those that aren't deleted. */
  live: RawBuilder<SqlBool>
  /** Those that the actor may see. */
  seen: RawBuilder<SqlBool>
}

/** A kind of record that `x-refers-to` names: a subject, or a lookup table. Undefined where it isn't known, or not installed. */
function namedAs(ctx: Ctx, type: string): Named | undefined {
  const subject = subjectOf(ctx, type as SubjectType)
  if (subject && !subject.entitled(ctx)) return undefined
  const lookup = subject ? undefined : lookupTables.find(({ table, key }) => key === 'id' && singular(table) === type)
  const table = subject?.table ?? lookup?.table
  if (!table) return undefined
  const within = sql<SqlBool>`${sql.ref(`${table}.tenant_id`)} = ${ctx.tenant.id}`
  const scope = subject ? subject.visible(ctx, table) : lookup!.scope(ctx)
  const seen = scope ? sql<SqlBool>`${within} and ${scope}` : within
  const live = subject ? sql<SqlBool>`${seen} and ${sql.ref(`${table}.deleted_at`)} is null` : seen
  return { table, title: type === 'user' ? 'email' : (subject?.title ?? lookup!.title), live, seen }
}

/** What each of these records is called; those that the actor doesn't see are missing. One query. */
export async function namesOf(ctx: Ctx, type: string, ids: number[]): Promise<Map<number, string>> {
  const of = ids.length ? namedAs(ctx, type) : undefined
  if (!of) return new Map()
  const { table } = of
  const title = sql.ref(`${table}.${of.title}`)
  const others = sql`select 1 from ${sql.table(table)} o where o.tenant_id = ${ctx.tenant.id} and ${sql.ref(`o.${of.title}`)} = ${title} and o.id <> ${sql.ref(`${table}.id`)}
    ${lookupTables.some((one) => one.table === table) ? sql`` : sql`and o.deleted_at is null`}`
  const { rows } = await sql<{ id: number; name: string }>`
    select ${sql.ref(`${table}.id`)} as id, case when ${title} is null or ${title} = '' or exists (${others}) then ${sql.ref(`${table}.id`)}::text else ${title} end as name
    from ${sql.table(table)} where ${of.seen} and ${sql.ref(`${table}.id`)} = any(${[...new Set(ids)]}::bigint[])`.execute(ctx.tx)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** More than one record of the type bears the name. */
export const SEVERAL = 'several'

/**
 * What these texts name, of live records that the actor may see and refer to: the one that is called so, else the one that another system calls so,
 * else the one of that id. Texts that name none are missing. One query.
 */
export async function idsOf(ctx: Ctx, type: string, texts: string[]): Promise<Map<string, number | typeof SEVERAL>> {
  const of = texts.length ? namedAs(ctx, type) : undefined
  const needs = subjectOf(ctx, type as SubjectType)?.of.needs
  if (!of || (needs && !ctx.can(needs))) return new Map()
  const { table, title } = of
  const asked = [...new Set(texts)]
  const at = (column: string) => sql.ref(`${table}.${column}`)
  const where = (condition: RawBuilder<SqlBool>) => sql`from ${sql.table(table)} where ${of.live} and ${condition}`
  const ids = asked.flatMap((text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : []))
  const isIdentified = resources.some((one) => one.table === table && one.item.shape.external_id)
  const identified = sql`union all select ${at('external_id')}, 2, ${at('id')} ${where(sql`${at('external_id')} = any(${asked}::text[])`)}`
  const { rows } = await sql<{ text: string; rank: number; id: number }>`
    select ${at(title)}::text as text, 1 as rank, ${at('id')} as id ${where(sql`${at(title)} = any(${asked}::text[])`)}
    ${isIdentified ? identified : sql``}
    union all select ${at('id')}::text, 3, ${at('id')} ${where(sql`${at('id')} = any(${ids}::bigint[])`)}
    order by rank`.execute(ctx.tx)
  const ranks = new Map<string, number>()
  const found = new Map<string, number | typeof SEVERAL>()
  for (const { text, rank, id } of rows) {
    const before = ranks.get(text)
    if (before === undefined) found.set(text, id)
    else if (before === rank) found.set(text, SEVERAL)
    ranks.set(text, before ?? rank)
  }
  return found
}
