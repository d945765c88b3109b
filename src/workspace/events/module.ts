import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'events',
  title: 'Events',
  description: 'What happens to the records of the workspace, in order, for programs that follow it.',
  core: true,
  routes: () => import('./routes.ts'),
})
