import { z } from 'zod'
import { action, activityRoutes, recordRoutes, statusRoute } from '#kernel/http/record-routes.ts'
import { workspace } from '#kernel/http/route.ts'
import { AssignBody } from '#kernel/records/assignment.ts'
import { assignTask, create, update } from './changes.ts'
import { lifecycle } from './lifecycle.ts'
import { CreateTask, TaskColumn, UpdateTask } from './schema.ts'
import { boardQuery, taskBoard, taskList, taskStats, tasks } from './tasks.ts'

export default [
  workspace.get(
    '/board',
    {
      allow: 'tasks.view',
      description:
        'Answers the tasks as columns of a board, one for each status, with how many there are in it and the first of these.',
      query: boardQuery,
      reply: z.array(TaskColumn),
    },
    (ctx, { query }) => taskBoard(ctx, query),
  ),
  ...recordRoutes(tasks, { list: taskList, stats: taskStats, body: CreateTask, changes: UpdateTask, create, update }),
  ...activityRoutes(tasks),
  action(
    tasks,
    '/:id/assign',
    {
      allow: 'tasks.assign',
      grants: false,
      body: AssignBody,
      message: 'Assignment saved.',
      description: 'Gives the task to a user, who is notified, or with null to nobody.',
    },
    (ctx, task, { assigned_to }) => assignTask(ctx, task, assigned_to),
  ),
  statusRoute(tasks, lifecycle),
]
