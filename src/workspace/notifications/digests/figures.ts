/**
 * Data of digests: due tasks and follow-ups, and lead figures. Each query serves many users, because a large workspace has
 * thousands.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { instantIn } from '#kernel/values/local-time.ts'

/** Day of a digest and its bounds as instants, in the workspace's time zone. */
export interface Day {
  date: string
  begins: string
  ends: string
  yesterday: string
  month: string
}

export function dayOf(ctx: Ctx, date: string): Day {
  const day = Temporal.PlainDate.from(date)
  const begin = (of: Temporal.PlainDate) => instantIn(ctx, of.toString())
  return {
    date,
    begins: begin(day),
    ends: begin(day.add({ days: 1 })),
    yesterday: begin(day.subtract({ days: 1 })),
    month: begin(day.with({ day: 1 })),
  }
}

/** Maximum number of items listed by name. */
export const MAX_LISTED = 10

/** A due item. `all` counts the user's items; `overdue` of them were due earlier. */
export interface Due {
  user_id: number
  name: string
  due_on: string
  all: number
  overdue: number
}

/** Returns each user's first due open tasks. */
export async function tasksDue(ctx: Ctx, userIds: number[], { date }: Day): Promise<Due[]> {
  if (!ctx.entitled('tasks') || !userIds.length) return []
  const { rows } = await sql<Due>`
    select * from (
      select assigned_to as user_id, title as name, due_on, row_number() over (partition by assigned_to order by due_on, id) as place,
        (count(*) over (partition by assigned_to))::int as "all",
        (count(*) filter (where due_on < ${date}) over (partition by assigned_to))::int as overdue
      from tasks where tenant_id = ${ctx.tenant.id} and assigned_to = any(${userIds}::bigint[]) and due_on <= ${date}
        and status in ('todo', 'in_progress') and deleted_at is null
    ) due where place <= ${MAX_LISTED} order by user_id, place`.execute(ctx.tx)
  return rows
}

/**
 * Returns each user's first pending follow-ups: their own, and unassigned ones on their leads. Users who see all leads also get
 * unassigned ones on other users' leads.
 */
export async function followUpsDue(ctx: Ctx, userIds: number[], seeAll: number[], { begins, ends }: Day): Promise<Due[]> {
  if (!ctx.entitled('leads') || !userIds.length) return []
  const { rows } = await sql<Due>`
    select * from (
      select user_id, name, due_on, row_number() over (partition by user_id order by due_at, id) as place,
        (count(*) over (partition by user_id))::int as "all",
        (count(*) filter (where due_at < ${begins}) over (partition by user_id))::int as overdue
      from (
        select f.id, coalesce(f.assigned_to, l.assigned_to) as user_id, l.assigned_to, l.name || ': ' || f.title as name, f.due_at,
          (f.due_at at time zone ${ctx.tenant.timezone})::date as due_on
        from lead_follow_ups f join leads l on l.tenant_id = ${ctx.tenant.id} and l.id = f.lead_id and l.deleted_at is null
        where f.tenant_id = ${ctx.tenant.id} and f.status = 'pending' and f.due_at < ${ends}
      ) pending
      where user_id = any(${userIds}::bigint[]) and (assigned_to = user_id or user_id = any(${seeAll}::bigint[]))
    ) due where place <= ${MAX_LISTED} order by user_id, place`.execute(ctx.tx)
  return rows
}

export interface LeadFigures {
  user_id: number
  open: number
  /** Created yesterday: leads of the digest's day are in the next one. */
  fresh: number
  won: number
}

const figures = ({ begins, yesterday, month }: Day) => sql`
  (count(*) filter (where status in ('active', 'waiting', 'on_hold')))::int as open,
  (count(*) filter (where created_at >= ${yesterday} and created_at < ${begins}))::int as fresh,
  (count(*) filter (where won_at >= ${month}))::int as won`

export async function leadFigures(ctx: Ctx, userIds: number[], day: Day): Promise<LeadFigures[]> {
  if (!ctx.entitled('leads') || !userIds.length) return []
  const { rows } = await sql<LeadFigures>`
    select assigned_to as user_id, ${figures(day)} from leads
    where tenant_id = ${ctx.tenant.id} and assigned_to = any(${userIds}::bigint[]) and deleted_at is null group by 1`.execute(
    ctx.tx,
  )
  return rows
}

export interface TeamFigures extends Omit<LeadFigures, 'user_id'> {
  tasks: number
  tasks_overdue: number
  follow_ups: number
  follow_ups_overdue: number
}

/** Returns figures of the whole workspace. */
export async function teamFigures(ctx: Ctx, day: Day): Promise<TeamFigures> {
  const none = { tasks: 0, tasks_overdue: 0, follow_ups: 0, follow_ups_overdue: 0, open: 0, fresh: 0, won: 0 }
  const tasks = sql<Partial<TeamFigures>>`
    select count(*)::int as tasks, (count(*) filter (where due_on < ${day.date}))::int as tasks_overdue from tasks
    where tenant_id = ${ctx.tenant.id} and due_on <= ${day.date} and status in ('todo', 'in_progress') and deleted_at is null`
  const followUps = sql<Partial<TeamFigures>>`
    select count(*)::int as follow_ups, (count(*) filter (where f.due_at < ${day.begins}))::int as follow_ups_overdue
    from lead_follow_ups f join leads l on l.tenant_id = ${ctx.tenant.id} and l.id = f.lead_id and l.deleted_at is null
    where f.tenant_id = ${ctx.tenant.id} and f.status = 'pending' and f.due_at < ${day.ends}`
  const leads = sql<Partial<TeamFigures>>`
    select ${figures(day)} from leads where tenant_id = ${ctx.tenant.id} and deleted_at is null`
  const asked = [...(ctx.entitled('tasks') ? [tasks] : []), ...(ctx.entitled('leads') ? [followUps, leads] : [])]
  const answers = await Promise.all(asked.map((one) => one.execute(ctx.tx)))
  return Object.assign(none, ...answers.map(({ rows }) => rows[0]))
}
