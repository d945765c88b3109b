import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'events',
  title: 'Events',
  description: 'What happens on the platform, in order, for programs that follow it.',
  errorCodes: { GONE: '410: the events that are asked for are no longer kept.' },
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
})
