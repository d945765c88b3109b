import { action, activityRoutes, recordRoutes, statusRoute } from '#kernel/http/record-routes.ts'
import { AssignBody } from '#kernel/records/assignment.ts'
import { assignTask, create, update } from './changes.ts'
import { lifecycle } from './lifecycle.ts'
import { CreateTask, UpdateTask } from './schema.ts'
import { taskList, taskStats, tasks } from './tasks.ts'

export default [
  ...recordRoutes(tasks, { list: taskList, stats: taskStats, body: CreateTask, changes: UpdateTask, create, update }),
  ...activityRoutes(tasks),
  action(
    tasks,
    '/:id/assign',
    {
      allow: 'tasks.assign',
      body: AssignBody,
      message: 'Assignment saved.',
      description: 'Gives the task to a user, who is notified, or with null to nobody.',
    },
    (ctx, task, { assigned_to }) => assignTask(ctx, task, assigned_to),
  ),
  statusRoute(tasks, lifecycle),
]
