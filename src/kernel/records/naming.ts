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
