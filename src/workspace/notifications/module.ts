import { z } from 'zod'
import { defineModule } from '#kernel/modules/module.ts'
import { clockMinute } from '#kernel/values/fields.ts'

declare module '#kernel/names.ts' {
  interface WorkspaceSettings {
    email_notifications: boolean
    task_reminder_time: string
  }
}

export default defineModule({
  key: 'notifications',
  title: 'Notifications',
  description: 'What users are told of what others did: stored, at once in open clients, and on their devices.',
  core: true,
  requires: ['events'],
  path: '',
  uses: ['branded', 'leads', 'tasks'],
  settings: {
    email_notifications: {
      schema: z.boolean('Must be true or false.'),
      default: false,
      title: 'Mail notifications too, besides the daily digests',
      grants: false,
    },
    task_reminder_time: {
      schema: clockMinute('08:00'),
      default: '08:00',
      title: 'Time at which tasks that are due and the daily summaries are mailed',
      grants: false,
    },
  },
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  upgrade: () => import('./realtime/upgrade.ts'),
  jobs: () => import('./jobs.ts'),
  demo: () => import('./demo.ts'),
})
