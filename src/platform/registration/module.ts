import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'registration',
  title: 'Public: registration',
  description: 'How somebody makes a workspace for themselves.',
  path: '/public',
  routes: () => import('./routes.ts'),
})
