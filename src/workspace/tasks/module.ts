import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('tasks'),
  assign: 'Give tasks to somebody, and see those of everybody',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'tasks', typeof permissions> {}
  interface Subjects {
    task: true
  }
}

declare module '#kernel/modules/events.ts' {
  interface Events {
    /** A task was assigned to a user by any route; the actor may be that user. */
    'task.assigned': { task_id: number; user_id: number }
  }
}

export default defineModule({
  key: 'tasks',
  title: 'Tasks',
  description: 'What is to be done, by whom and until when.',
  position: 125,
  version: '1.4.0',
  category: 'Work',
  uses: ['projects'],
  permissions,
  subjects: { task: async () => (await import('./tasks.ts')).tasks },
  notifications: { category: 'tasks', recordPosition: 140, mentions: ['task'], kinds: () => import('./notifications.ts') },
  routes: () => import('./routes.ts'),
  widgets: () => import('./widgets.ts'),
  screen: () => import('./screen.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./demo.ts'),
})
