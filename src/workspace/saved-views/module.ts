import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'saved-views',
  title: 'Saved views',
  description: 'How people want to see a list: its filters, columns and order under a name, for oneself or for everybody.',
  core: true,
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
