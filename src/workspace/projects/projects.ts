/** Projects resource: visibility, list, statistics and board. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { boardOf } from '#kernel/records/board.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { resource } from '#kernel/records/resource.ts'
import { type Stats, statsOf } from '#kernel/records/stats.ts'
import { lifecycle, openStates } from './lifecycle.ts'
import { Project, ProjectDetail } from './schema.ts'

/** Members added and removed. */
interface Synced {
  added: { id: number; name: string }[]
  removed: { id: number; name: string }[]
}

export const projects = resource({
  table: 'projects',
  module: 'projects',
  noun: 'project',
  title: 'title',
  item: Project,
  detail: ProjectDetail,
  assign: 'projects.assign',
  scope: concerns,
  seers: async (ctx, { id, created_by }) => {
    const members = await ctx.from('project_members').select('user_id').where('project_id', '=', id).execute()
    return [created_by, ...members.map(({ user_id }) => user_id)]
  },
  tallied: ['status', 'assigned_to'],
  activityTemplates: {
    members_synced({ added, removed }: Synced) {
      const became = (people: Synced['added'], what: string) =>
        people.length ? [`${people.map(({ name }) => name).join(', ')} ${what}`] : []
      return `Members changed: ${[...became(added, 'added'), ...became(removed, 'removed')].join('; ')}`
    },
  },
})

/**
 * Returns the condition for projects that the actor is assigned to, a member of, or has created (PRJ-36, AUTH-11); undefined for
 * users who may assign. Memberships are an array, so that each of the three conditions uses its own index.
 */
function concerns(ctx: Ctx, as: string): RawBuilder<SqlBool> | undefined {
  if (ctx.can('projects.assign')) return undefined
  const me = ctx.actor.id
  const at = (column: string) => sql.ref(`${as}.${column}`)
  return sql`(${at('assigned_to')} = ${me} or ${at('created_by')} = ${me} or ${at('id')} = any(array(
    select m.project_id from project_members m where m.tenant_id = ${ctx.tenant.id} and m.user_id = ${me})))`
}

/**
 * Open with an end date before the workspace's today (PRJ-24). Written exactly as in the partial index, which is not used
 * otherwise.
 */
function isOverdue(ctx: Ctx): RawBuilder<SqlBool> {
  return sql`(projects.status in (${sql.join(openStates.map(sql.lit))}) and projects.ends_on < ${ctx.today()})`
}

/** PRJ-28. */
export const projectList = listing(projects, {
  search: true,
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    contact_id: filter.id('contact_id'),
    company_id: filter.id('company_id'),
    opportunity_id: filter.id('opportunity_id'),
    assigned_to: filter.assignee(),
    my_projects: filter.mine(),
    overdue: filter.holds(isOverdue),
  },
})

const counted = statsOf('ProjectCounts', projectList, {
  total: 'total_projects',
  mine: 'my_projects',
  states: lifecycle.states,
})

/** PRJ-25: two of the counts have two names each. */
export const projectStats: Stats = {
  list: projectList,
  reply: counted.reply
    .extend({ active_projects: z.int(), overdue: z.int(), overdue_projects: z.int() })
    .meta({ id: 'ProjectStats' }),
  async read(ctx, query) {
    const [counts, overdue] = await Promise.all([
      counted.read(ctx, query),
      projectList.total(ctx, query, { only: isOverdue(ctx) }),
    ])
    return { ...counts, active_projects: counts.active!, overdue, overdue_projects: overdue }
  },
}

const board = boardOf(projectList, { by: 'status' })

/** The list's filters and sort order, and `per_column` (PRJ-27). */
export const boardQuery = board.query

/** PRJ-26. */
export async function projectBoard(ctx: Ctx, query: z.output<typeof boardQuery>) {
  const columns = await board.read(ctx, query, lifecycle.states)
  return columns.map(({ count, rows }, n) => ({ status: lifecycle.states[n]!, project_count: count, projects: rows }))
}
