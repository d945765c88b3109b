import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'public-marketing',
  title: 'Public: what the platform says of itself',
  description: 'Figures and modules, for its website.',
  path: '/public',
  start: () => import('./start.ts'),
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
