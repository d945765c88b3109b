import { actorName, kind } from '#kernel/modules/notifications.ts'

export default [
  kind('task.assigned', {
    subject: 'task',
    title: 'You are given a task',
    digest: (ctx) => ({
      title: 'Tasks assigned to you',
      body: (count) => `${actorName(ctx)} assigned you ${count} tasks.`,
      filters: { assigned: 'me' },
    }),
    news: (ctx, { task_id, user_id }) => ({
      ...{ ids: [task_id], users: [user_id], source: 'assign', title: 'Task assigned to you' },
      body: (name) => `${actorName(ctx)} assigned you the task ${name}.`,
    }),
  }),
]
