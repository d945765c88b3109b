/** Inserts leads by SQL in a demo workspace. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'

/**
 * Inserts leads five minutes apart, distributed over stages and users; each with its type's tag, every tenth with a follow-up.
 */
export const fillLeads = async (ctx: Ctx, count: number) => {
  const tenant = ctx.tenant.id
  const n = sql`generate_series(1, ${count}::int) n`
  const pick = (table: 'lead_stages' | 'users') =>
    sql`(select array_agg(id order by id) as ids from ${sql.table(table)} where tenant_id = ${tenant})`
  await sql`
    insert into leads (tenant_id, name, lead_type, email, phone, company, lead_value, priority, status, stage_id, assigned_to, created_by, created_at, updated_at)
    select ${tenant}, 'Lead ' || n, case when n % 3 = 0 then 'company' else 'direct' end, 'lead' || n || '@lead.example', '+1 212 ' || n,
      'Firm ' || n % 1000, n % 5000, 'medium', 'active', s.ids[1 + n % cardinality(s.ids)], u.ids[1 + n % cardinality(u.ids)],
      u.ids[1], ${ctx.now}::timestamptz - n * interval '5 minutes', ${ctx.now}::timestamptz - n * interval '5 minutes'
    from ${n}, ${pick('lead_stages')} s, ${pick('users')} u`.execute(ctx.tx)
  await sql`
    insert into lead_tag_links (tenant_id, lead_id, tag_id)
    select ${tenant}, l.id, t.id from leads l join lead_tags t on t.tenant_id = ${tenant} and t.system = l.lead_type
    where l.tenant_id = ${tenant} on conflict do nothing`.execute(ctx.tx)
  await sql`
    insert into lead_follow_ups (tenant_id, lead_id, title, due_at, created_at, updated_at)
    select ${tenant}, id, 'Call', created_at + interval '30 days', created_at, created_at
    from leads where tenant_id = ${tenant} and id % 10 = 0`.execute(ctx.tx)
  await sql`
    update leads set next_follow_up_at = created_at + interval '30 days' where tenant_id = ${tenant} and id % 10 = 0`.execute(
    ctx.tx,
  )
  await sql`select app.sum_tallies('leads')`.execute(ctx.tx)
}
