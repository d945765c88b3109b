import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'operations',
  title: 'Operations dashboards',
  description: 'The pages of metrics and of the queue, for those who run the service.',
  routes: () => import('./routes.ts'),
})
