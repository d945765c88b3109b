import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'operations',
  title: 'Operations',
  description: 'The ways to the dashboards of metrics and of the queue, and what they show.',
  path: '',
  routes: () => import('./routes.ts'),
  start: () => import('./start.ts'),
})
