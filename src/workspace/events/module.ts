import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'events',
  title: 'Events',
  description: 'What happens to the records of the workspace, in order, for programs that follow it.',
  core: true,
  errorCodes: { GONE: '410: the events that are asked for are no longer kept.' },
  routes: () => import('./routes.ts'),
})
