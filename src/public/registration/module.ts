import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'registration',
  title: 'Registration',
  description: 'The page on which somebody makes a workspace for themselves, by an invitation or without.',
  path: '',
  routes: () => import('./routes.ts'),
})
