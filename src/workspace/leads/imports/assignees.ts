/** Users whom rows name by their e-mail address or their id. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { type Assignee, assigneeOfNew, eligibleAmong } from '../assignment/eligible.ts'

/** Those who may be given leads, and the importer, by what was written in lower case. */
export async function namedAssignees(ctx: Ctx, written: string[]): Promise<Map<string, Assignee>> {
  const found = new Map<string, Assignee>()
  const names = [...new Set(written.map((name) => name.toLowerCase()))]
  if (!names.length) return found
  const ids = names.filter((name) => /^\d{1,15}$/.test(name)).map(Number)
  const { rows } = await sql<{ id: number; email: string }>`
    select id, lower(email) as email from users
    where tenant_id = ${ctx.tenant.id} and deleted_at is null and (email = any(${names}::text[]) or id = any(${ids}::bigint[]))`.execute(
    ctx.tx,
  )
  if (!rows.length) return found
  const eligible = await eligibleAmong(
    ctx,
    rows.map(({ id }) => id),
  )
  const own = rows.some(({ id }) => id === ctx.actor.id) ? [await assigneeOfNew(ctx, undefined)] : []
  const emails = new Map(rows.map(({ id, email }) => [id, email]))
  for (const user of [...eligible, ...own]) {
    found.set(String(user.id), user)
    found.set(emails.get(user.id!)!, user)
  }
  return found
}
