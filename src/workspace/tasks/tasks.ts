/** Tasks resource. Users who may not assign see only their own. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { boardOf } from '#kernel/records/board.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { resource } from '#kernel/records/resource.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { lifecycle, openStates } from './lifecycle.ts'
import { Task, TaskDetail } from './schema.ts'

export const tasks = resource({
  table: 'tasks',
  module: 'tasks',
  noun: 'task',
  title: 'title',
  due: 'due_on',
  item: Task,
  detail: TaskDetail,
  assign: 'tasks.assign',
  tallied: ['status', 'assigned_to'],
})

/** Open and due before the workspace's today. Written exactly as in the partial index, which is not used otherwise. */
function isOverdue(ctx: Ctx): RawBuilder<SqlBool> {
  return sql`(tasks.status in (${sql.join(openStates.map(sql.lit))}) and tasks.due_on < ${ctx.today()})`
}

/** Neither done nor cancelled. */
const isOpen = (): RawBuilder<SqlBool> => sql`(tasks.status in (${sql.join(openStates.map(sql.lit))}))`

export const taskList = listing(tasks, {
  search: true,
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    project_id: filter.id('project_id'),
    assigned_to: filter.assignee(),
    my_tasks: filter.mine(),
    open: filter.holds(isOpen),
    overdue: filter.holds(isOverdue),
  },
})

export const taskStats = statsOf('TaskStats', taskList, {
  total: 'total_tasks',
  mine: 'my_tasks',
  states: lifecycle.states,
  more: {
    reply: { overdue: z.int() },
    read: async (ctx, query) => ({ overdue: await taskList.total(ctx, query, { only: isOverdue(ctx) }) }),
  },
})

const board = boardOf(taskList, { by: 'status' })

/** The list's filters and sort order, and `per_column`. */
export const boardQuery = board.query

export async function taskBoard(ctx: Ctx, query: z.output<typeof boardQuery>) {
  const columns = await board.read(ctx, query, lifecycle.states)
  return columns.map(({ count, rows }, n) => ({ status: lifecycle.states[n]!, task_count: count, tasks: rows }))
}
